#include "commands.h"

#include "spikenm/core/json.h"
#include "spikenm/core/show.h"
#include "spikenm/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace spikenm::cli {

// clang-format off
#define SPIKENM_DATA_COMMANDS(row)                                                        \
  row("list", setup_data_list, "the sets that are known")                                 \
  row("check", setup_data_check, "is my copy complete: sizes, md5 sums, every sample")    \
  row("stats", setup_data_stats, "class counts, pixel mean and std, events per recording") \
  row("preview", setup_data_preview, "draw some samples as SVG or PNG")                      \
  row("cache", setup_data_cache, "decode every recording once, ahead of training")        \
  row("events", setup_data_events, "what is in one event file of any known format")
// clang-format on

#define SPIKENM_DECLARE(name, setup, summary) std::function<void()> setup(CLI::App& app);
SPIKENM_DATA_COMMANDS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

std::function<void()> setup_data_list(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print names and summaries as JSON");
  app.footer(
      "Examples:\n"
      "  spikenm data list");
  return [json] {
    const auto& rows = data::datasets().rows();
    if (*json) {
      Json list = Json::array();
      for (const auto& row : rows) list.push_back({{"name", row.name}, {"summary", row.summary}});
      show_json(list);
      return;
    }

    size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, row.name.size());
    for (const auto& row : rows) show("{:<{}}  {}\n", row.name, widest, row.summary);
  };
}

std::function<void()> setup_data(CLI::App& app) {
#define SPIKENM_ROW(name, setup, summary) {name, summary, setup},
  const std::vector<Command> rows{SPIKENM_DATA_COMMANDS(SPIKENM_ROW)};
#undef SPIKENM_ROW
  app.require_subcommand(1);
  app.footer(
      "Sets are read as they lie on the disk, in the folders of torchvision, SpikingJelly and "
      "Tonic alike;\n"
      "nothing is fetched, changed or copied.\n\n"
      "Examples:\n"
      "  spikenm data list\n"
      "  spikenm data check cifar10 --root ~/data\n"
      "  spikenm data preview cifar10-dvs --root ~/data/CIFAR10DVS --out sheet.svg\n"
      "  spikenm data events recording.aedat --picture recording.svg");

  auto actions = std::make_shared<std::map<const CLI::App*, std::function<void()>>>();
  for (const Command& command : rows) {
    CLI::App* const sub = app.add_subcommand(command.name, command.summary);
    (*actions)[sub] = command.setup(*sub);
  }
  return [&app, actions] { actions->at(app.get_subcommands().front())(); };
}

}  // namespace spikenm::cli
