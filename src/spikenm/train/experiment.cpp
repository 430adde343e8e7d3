#include "spikenm/train/experiment.h"

#include "spikenm/core/md5.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/metrics/activity.h"
#include "spikenm/metrics/energy.h"
#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/sparsity/connectivity.h"
#include "spikenm/train/divergence.h"
#include "spikenm/train/evaluate.h"
#include "spikenm/train/model_file.h"
#include "spikenm/train/trainer.h"
#include "spikenm/train/versions.h"
#include "spikenm/train/warnings.h"

#include <ATen/ATen.h>

namespace spikenm::train {
namespace {

// Builds caches before the clock of a phase starts.
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

// The pattern of each layer that may be masked: "2:4", or "dense".
Json layer_patterns(ModelRecipe& model) {
  Json patterns = Json::object();
  for (const nn::Synapse& synapse : model.network->synapses()) {
    if (synapse.spec->maskable) patterns[synapse.name] = "dense";
  }
  for (const sparsity::MaskableLayer& layer : model.method->layers())
    patterns[layer.synapse->name] = layer.pattern.text();
  return patterns;
}

Json accuracy_json(const Evaluation& test) {
  Json found = {{"test_accuracy", test.accuracy},
                {"test_accuracy_per_class", test.by_class},
                {"test_loss", test.loss}};
  if (test.top5) found["test_top5"] = *test.top5;
  return found;
}

Json neurons_json(const sparsity::Masks& masks) {
  const metrics::NeuronAudit audit = metrics::audit_neurons(masks.neurons);
  Json found = {{"granularity", masks.neurons.empty() ? "weight" : "weight+neuron"},
                {"neuron_pct", audit.percent()}};
  for (const metrics::NeuronCount& layer : audit.layers)
    found["neuron_pct_by_layer"][layer.name] = layer.percent();
  return found;
}

// What the run was, without its measurements.
Json describe_run(Recipe& recipe) {
  const sparsity::Method& method = *recipe.model.method;
  const data::DatasetInfo& info = recipe.model.dataset->info();

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
                 {"model", recipe.model.model_name},
                 {"T", recipe.model.T},
                 {"device", recipe.model.network->device().str()},
                 {"precision", recipe.model.device.precision},
                 {"augmented_on", recipe.model.pipelines.train.raw ? "gpu" : "cpu"},
                 {"layer_patterns", layer_patterns(recipe.model)}};
  result.update(method.outcome());
  return result;
}

}  // namespace

Json measure(Recipe& recipe, const sparsity::Masks& masks) {
  nn::Network& network = *recipe.model.network;
  const data::DatasetInfo& info = recipe.model.dataset->info();
  const sparsity::FrozenHooks hooks(masks);
  metrics::ActivityObserver activity(network, masks);

  prepare_data(*recipe.model.dataset);
  data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
  const Evaluation test = evaluate(network, loader, recipe.model.T, recipe.loss, &activity);

  const metrics::SparsityAudit audit = metrics::audit_network(network, masks.weights);
  const sparsity::Connectivity connections = sparsity::count_connections(network, masks);
  const double sops = activity.sops_per_sample();
  const double macs =
      metrics::analog_macs(network.graph(), connections, recipe.model.T, info.frames == 0);

  Json found = {{"weight_pct", audit.weight_percent()},
                {"weight_pct_all", audit.weight_percent_all()},
                {"conn_pct", connections.percent()},
                {"sops_m", sops / 1e6},
                {"sops_m_upr", activity.sops_per_sample_upr(recipe.train.batch_size) / 1e6},
                {"energy_uj", metrics::energy_microjoules(sops, macs)},
                {"energy_convention", metrics::kEnergyConvention},
                {"firing_rate", rates_json(activity)},
                {"nm_valid", audit.valid()},
                {"empty_blocks", audit.empty_blocks()}};

  if (!info.subset.empty()) found["subset"] = info.subset;
  found.update(accuracy_json(test));
  found.update(neurons_json(masks));
  return found;
}

Json run_experiment(const Config& config, const ExperimentOptions& options) {
  Recipe recipe = read_recipe(config);
  nn::Network& network = *recipe.model.network;
  const std::string graph_toml = graph::to_toml(network.graph());
  RunDir run = RunDir::create(options.out, options.force, options.take_over);
  // From now on the network of a file is that of the run's copy.
  if (config.has("model.file")) config.resolve_as("model.file", std::string(RunDir::kGraph));
  const std::string resolved = config.resolved_toml();

  prepare_data(*recipe.model.dataset);
  Warnings warnings = doubts_about_recipe(recipe);
  say_warnings(warnings);
  Trainer trainer(recipe, run, options.title);
  run.write_config(resolved);  // a failure before this leaves a folder that can be used
  run.write(RunDir::kGraph, graph_toml);
  trainer.train();
  run.promote();  // for a run without epochs

  Json result = describe_run(recipe);
  result["graph_md5"] = md5_hex(as_bytes(graph_toml));
  const Json measured = measure(recipe, trainer.masks());
  check_finite(measured["test_loss"].get<double>(), "the test loss", "after training");
  save_model(run.file(RunDir::kModel), network, trainer.masks(), resolved);

  for (const Warnings& more : {doubts_about_steps(trainer.steps(), trainer.skipped_steps()),
                               doubts_about_result(recipe, measured)}) {
    say_warnings(more);
    warnings.insert(warnings.end(), more.begin(), more.end());
  }
  result.update(measured);

  if (trainer.best()) {
    restore_snapshot(network, *trainer.best());
    save_model(run.file(RunDir::kBestModel), network, trainer.masks(), resolved);
    const sparsity::FrozenHooks hooks(trainer.masks());
    data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
    result["test_accuracy_best_val"] =
        evaluate(network, loader, recipe.model.T, recipe.loss).accuracy;
  }

  result["warnings"] = warnings;
  result["phase_seconds"] = trainer.phase_seconds();
  result["seed"] = recipe.model.seed;
  result["versions"] = versions();
  run.write(RunDir::kResult, result.dump(2) + "\n");
  return result;
}

}  // namespace spikenm::train
