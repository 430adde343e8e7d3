#include "commands.h"
#include "demo_configs.h"
#include "path_option.h"

#include "spikenm/core/show.h"
#include "spikenm/report/table.h"
#include "spikenm/train/experiment.h"

#include <filesystem>
#include <memory>

namespace spikenm::cli {
namespace {

struct DemoArguments {
  std::string out = "runs/demo";
  std::vector<std::string> overrides;
  bool force = false, take_over = false;
};

void demo(const DemoArguments& a) {
  std::vector<std::filesystem::path> folders;
  for (const DemoConfig& demo_config : demo_configs()) {
    Config config =
        Config::from_text(demo_config.toml, "configs/demo/" + demo_config.name + ".toml");
    for (const std::string& assignment : a.overrides) config.override_with(assignment);
    folders.push_back(std::filesystem::path(a.out) / demo_config.name);
    train::run_experiment(
        config, {.out = folders.back(),
                 .force = a.force,
                 .take_over = a.take_over,
                 .display = {.title = fmt::format("{:<12}", demo_config.name), .lines = false}});
  }
  show("{}\nruns: {}\n", report::run_table(folders), a.out);
}

}  // namespace

std::function<void()> setup_demo(CLI::App& app) {
  auto a = std::make_shared<DemoArguments>();
  as_path(app.add_option("--out,-o", a->out, "folder for the three runs"))->capture_default_str();
  app.add_flag("--force", a->force, "replace an earlier demo");
  app.add_flag("--take-over", a->take_over,
               "use folders that belong to a demo on another host, which no longer runs");
  app.add_option("overrides", a->overrides, "a.b=value, for all three runs; e.g. seed=1");
  app.footer(
      "Trains on moving-shapes, event recordings made on the fly by a simulated camera: nothing is "
      "read\n"
      "or fetched. The configs are those of configs/demo.\n\n"
      "Examples:\n"
      "  spikenm demo\n"
      "  spikenm demo --force seed=1 threads=1");
  return [a] { demo(*a); };
}

}  // namespace spikenm::cli
