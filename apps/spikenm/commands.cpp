#include "commands.h"

namespace spikenm::cli {

// clang-format off
#define SPIKENM_COMMANDS(row)                                                              \
  row("train", setup_train, "train, prune and finetune a network as a config says")        \
  row("eval", setup_eval, "measure a trained model on the test split")                     \
  row("inspect", setup_inspect, "show the layers of a model or config: weights, blocks, tails") \
  row("table", setup_table, "show finished runs as the paper's table, its figures beside them")   \
  row("sweep", setup_sweep, "run a grid or list of configs, and plot mean and spread")     \
  row("bench", setup_bench, "time a training step, part by part")                          \
  row("data", setup_data, "list, check, count, draw and cache datasets and event files")   \
  row("demo", setup_demo, "dense, random mask and SpikeNM on built-in data, in one table")
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

}  // namespace spikenm::cli
