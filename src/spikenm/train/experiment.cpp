#include "spikenm/train/experiment.h"

#include "spikenm/core/cpu_features.h"
#include "spikenm/core/parallel.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/metrics/activity.h"
#include "spikenm/metrics/connectivity.h"
#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/model_file.h"
#include "spikenm/train/trainer.h"

#include <ATen/ATen.h>
#include <torch/version.h>

namespace spikenm::train {
namespace {

// Caches are built before the clock of a phase starts.
void prepare_data(const data::Dataset& dataset) {
  ProgressLine line;
  dataset.prepare([&](double fraction, std::string_view what) {
    line.update(dataset.info().name, fraction, what);
  });
}

Json rates_json(const metrics::ActivityObserver& activity) {
  Json rates = Json::object();
  for (const auto& [layer, rate] : activity.firing_rates()) rates[layer] = rate;
  rates["mean"] = activity.mean_firing_rate();
  return rates;
}

}  // namespace

Json versions() {
  return {{"spikenm", SPIKENM_VERSION},
          {"torch", TORCH_VERSION},
          {"compiler", __VERSION__},
          {"isa", isa_name(active_isa())},
          {"threads", threads()}};
}

Json measure(Recipe& recipe, const std::vector<sparsity::LayerMask>& masks) {
  nn::Network& network = *recipe.model.network;
  const data::DatasetInfo& info = recipe.model.dataset->info();
  const sparsity::FrozenHooks hooks(masks);
  metrics::ActivityObserver activity;
  prepare_data(*recipe.model.dataset);
  data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
  const Evaluation test = evaluate(network, loader, recipe.model.T, recipe.loss, &activity);
  const metrics::SparsityAudit audit = metrics::audit_masks(masks);
  const metrics::Connectivity connections =
      metrics::count_connections(network, masks, info.channels, info.height, info.width);
  return {{"test_accuracy", test.accuracy},
          {"test_loss", test.loss},
          {"weight_pct", audit.weight_percent()},
          {"conn_pct", connections.percent()},
          {"sops_m", activity.sops_per_sample() / 1e6},
          {"firing_rate", rates_json(activity)},
          {"nm_valid", audit.valid()},
          {"empty_blocks", audit.empty_blocks()}};
}

Json run_experiment(const Config& config, const ExperimentOptions& options) {
  Recipe recipe = read_recipe(config);
  const RunDir run = RunDir::create(options.out, options.force);
  const std::string resolved = config.resolved_toml();
  run.write(RunDir::kConfig, resolved);
  nn::Network& network = *recipe.model.network;

  const data::DatasetInfo& info = recipe.model.dataset->info();
  prepare_data(*recipe.model.dataset);
  Trainer trainer(recipe, run, options.title);
  trainer.train();
  save_model(run.file(RunDir::kModel), network, trainer.masks(), resolved);

  const sparsity::Method& method = *recipe.model.method;
  Json result = {{"method", recipe.model.method_name},
                 {"pattern", method.pattern_text()},
                 {"data", recipe.model.data_name},
                 {"split", info.split},
                 {"data_source", info.source},
                 {"samples",
                  {{"train", recipe.views->train.size()},
                   {"validation", recipe.views->validation.size()},
                   {"test", recipe.model.dataset->size(data::Part::kTest)}}},
                 {"simulated", info.simulated},
                 {"model", recipe.model.model_name}};
  result.update(measure(recipe, trainer.masks()));
  result["test_accuracy_best_val"] = result["test_accuracy"];
  if (trainer.best()) {
    restore_snapshot(network, *trainer.best());
    save_model(run.file(RunDir::kBestModel), network, trainer.masks(), resolved);
    const sparsity::FrozenHooks hooks(trainer.masks());
    data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
    result["test_accuracy_best_val"] =
        evaluate(network, loader, recipe.model.T, recipe.loss).accuracy;
  }
  result["phase_seconds"] = trainer.phase_seconds();
  result["seed"] = recipe.model.seed;
  result["versions"] = versions();
  run.write(RunDir::kResult, result.dump(2) + "\n");
  return result;
}

}  // namespace spikenm::train
