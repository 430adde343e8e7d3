#include "commands.h"
#include "demo_configs.h"
#include "path_option.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/show.h"
#include "spikenm/deploy/timing.h"
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

// Exports the last run and says what its file costs beside the same network stored dense.
void show_timing(const std::filesystem::path& run) {
  train::LoadedModel trained = train::load_model(run);
  if (trained.masks.weights.empty()) return;
  const std::filesystem::path file = run.string() + ".snm";
  const deploy::Timing found = deploy::time_export(trained, run, file, /*seconds=*/0.3);
  show("\nrun without torch: {}, one sample at a time, {} threads\n", file.string(), threads());
  show("  packed       {:>8} bytes {:>8.3f} ms\n", found.packed.bytes, found.packed.ms);
  show("  stored dense {:>8} bytes {:>8.3f} ms, {:.2f} times as long\n", found.dense.bytes,
       found.dense.ms, found.dense.ms / found.packed.ms);
  show("  in training                 {:>8.3f} ms, {:.1f} times as long\n", found.trainer.ms,
       found.trainer.ms / found.packed.ms);
  show("next: spikenm-run profile {}\n", file.string());
}

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
  show_timing(folders.back());
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
