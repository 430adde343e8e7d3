#include "commands.h"

#include "spikenm/core/error.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"

#include <algorithm>
#include <string>

namespace spikenm::cli {

// clang-format off
#define SPIKENM_COMMANDS(row) \
  row("train",   setup_train,   "train, prune and finetune a network as a config says") \
  row("eval",    setup_eval,    "measure a trained model on the test split") \
  row("export",  setup_export,  "write a trained model as a .snm file, which runs without torch") \
  row("inspect", setup_inspect, "show the layers of a model or config: weights, blocks, tails") \
  row("table",   setup_table,   "show finished runs as the paper's table, its figures beside them") \
  row("sweep",   setup_sweep,   "run a grid or list of configs, and plot mean and spread") \
  row("bench",   setup_bench,   "time a training step, part by part") \
  row("data",    setup_data,    "list, check, count, draw and cache datasets and event files") \
  row("demo",    setup_demo,    "dense, random mask and SpikeNM on built-in data, in one table")
// clang-format on

#define SPIKENM_DECLARE(name, setup, summary) std::function<void()> setup(CLI::App& app);
SPIKENM_COMMANDS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const std::vector<Command>& commands() {
#define SPIKENM_ROW(name, setup, summary) {name, summary, setup},
  static const std::vector<Command> rows{SPIKENM_COMMANDS(SPIKENM_ROW)};
#undef SPIKENM_ROW
  return rows;
}

void check_command(const CLI::App& app, int argc, const char* const* argv) {
  const CLI::App* level = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::string word = argv[i];
    const std::vector<const CLI::App*> known =
        std::as_const(*level).get_subcommands(std::function<bool(const CLI::App*)>());
    if (known.empty()) return;

    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : known) names.push_back(sub->get_name());
      throw UsageError(fmt::format("command '{}' is not known; known: {} (nearest: {})",
                                   printable(word), join(names, ", "), nearest(word, names)));
    }
    level = *found;
  }
}

}  // namespace spikenm::cli
