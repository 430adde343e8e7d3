#include "commands.h"
#include "config_options.h"
#include "path_option.h"
#include "weight_text.h"

#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/train/experiment.h"

#include <filesystem>
#include <memory>

namespace spikenm::cli {
namespace {

struct TrainArguments {
  ConfigOptions config;
  std::string out, resume, from;
  bool force = false, take_over = false, dry_run = false, quiet = false, verbose = false;
};

void show_result(const Json& result, const std::filesystem::path& out) {
  if (result.contains("unfinished")) return show("{}: unfinished\n", out.string());
  const std::string best = result.contains("test_accuracy_best_val")
                               ? fmt::format(" (best on validation {:.2f} %)",
                                             result["test_accuracy_best_val"].get<double>())
                               : "";
  show("{} {}: test accuracy {:.2f} %{}, {}, conn {:.2f} %, {:.2f} M SOPs\n{}\n",
       result["method"].get<std::string>(), result["pattern"].get<std::string>(),
       result["test_accuracy"].get<double>(), best, weight_text(result),
       result["conn_pct"].get<double>(), result["sops_m"].get<double>(), out.string());
}

// Goes on with the run in the folder. False: there is none, and --resume=auto starts one.
bool resume(const TrainArguments& a, const train::ExperimentOptions& options) {
  const std::filesystem::path& out = options.out;
  if (a.resume == "auto" && !RunDir::holds_run(out)) return false;
  if (train::is_finished(out)) {
    show("{}: the run is finished; there is nothing to go on with\n", out.string());
    return true;
  }
  // Without a file the overrides are over the run's own config.
  ConfigOptions asked = a.config;
  if (asked.file.empty() && RunDir::holds_run(out)) asked.file = out / RunDir::kConfig;
  show_result(train::resume_experiment(asked.load(), options), out);
  return true;
}

void train(TrainArguments a) {
  if (!a.from.empty()) a.config.overrides.push_back("train.from=" + Json(a.from).dump());
  if (a.dry_run) {
    const Config config = a.config.load();
    const train::Recipe recipe = train::read_recipe(config, {.purpose = train::Purpose::kCheck});
    for (const std::string& note : recipe.notes) say("note: " + note);
    resolve_model_file(config);
    show_text(config.resolved_toml());
    return;
  }

  const std::string stem =
      a.config.file.empty() ? "run" : std::filesystem::path(a.config.file).stem().string();
  const std::filesystem::path out =
      a.out.empty() ? std::filesystem::path("runs") / stem : std::filesystem::path(a.out);
  const train::ExperimentOptions options{
      .out = out,
      .force = a.force,
      .take_over = a.take_over,
      .over_leftovers = a.resume == "auto",
      .display = {.title = stem, .bar = !a.quiet, .lines = !a.quiet, .verbose = a.verbose}};
  if (!a.resume.empty() && a.force)
    throw UsageError("--resume goes on with a run and --force replaces it; wanted one of them");
  if (!a.resume.empty() && resume(a, options)) return;
  show_result(train::run_experiment(a.config.load(), options), out);
}

}  // namespace

std::function<void()> setup_train(CLI::App& app) {
  auto a = std::make_shared<TrainArguments>();
  a->config.declare(app);
  as_path(app.add_option("--out,-o", a->out, "run folder (default: runs/ and the config's name)"));
  app.add_flag("--force", a->force,
               "replace the run that the folder holds, once this one has an epoch");
  app.add_flag("--take-over", a->take_over,
               "use a folder that belongs to a run on another host, which no longer runs");
  app.add_flag("--resume{yes}", a->resume,
               "go on with the run that --out holds, from its newest checkpoint; --resume=auto: "
               "start one where there is none")
      ->check(CLI::IsMember({"yes", "auto"}));
  as_path(app.add_option("--from", a->from,
                         "start from the weights of this model, run or checkpoint: train.from"));
  app.add_flag("--quiet,-q", a->quiet, "no progress bar and no line per epoch");
  app.add_flag("--verbose,-v", a->verbose, "with each epoch also what the method watched");
  app.add_flag("--dry-run", a->dry_run, "print the resolved config and stop");

  app.footer(
      "The run folder gets config.toml (every key with its value), metrics.jsonl (one line per "
      "epoch),\n"
      "checkpoints, result.json, model.safetensors (the last epoch) and, with validation,\n"
      "model_best_val.safetensors. A run that was stopped goes on with --resume.\n\n"
      "Examples:\n"
      "  spikenm train --config configs/demo/spikenm_2x4.toml --out runs/a\n"
      "  spikenm train --config configs/demo/spikenm_2x4.toml method.preset=paper "
      "method.pattern=2:16\n"
      "  spikenm train --config configs/cifar10/spikenm_2x4.toml data.root=DIR device=cuda\n"
      "  spikenm train --out runs/a --resume\n"
      "  spikenm train --config configs/demo/spikenm_2x4.toml --from runs/a method.pattern=2:8\n"
      "  spikenm train method.name=dense train.epochs=2 --dry-run");
  return [a] { train(*a); };
}

}  // namespace spikenm::cli
