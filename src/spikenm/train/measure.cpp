#include "spikenm/train/measure.h"

#include "spikenm/core/progress.h"
#include "spikenm/metrics/activity.h"
#include "spikenm/metrics/energy.h"
#include "spikenm/metrics/sparsity_audit.h"
#include "spikenm/sparsity/connectivity.h"

#include <algorithm>

namespace spikenm::train {
namespace {

// With more classes the counts would be most of the file.
constexpr size_t kMostConfused = 256;

Json accuracy_json(const Evaluation& test) {
  Json found = {{"test_accuracy", test.accuracy},
                {"test_accuracy_per_class", test.by_class},
                {"test_loss", test.loss}};
  if (test.top5) found["test_top5"] = *test.top5;
  if (test.confusion.size() <= kMostConfused) found["test_confusion"] = test.confusion;
  return found;
}

const char* granularity_of(const sparsity::Masks& masks) {
  const bool by_channel = std::any_of(
      masks.weights.begin(), masks.weights.end(),
      [](const sparsity::LayerMask& m) { return m.mask.kind == nm::Mask::Kind::kChannel; });
  if (by_channel) return "channel";
  if (masks.neurons.empty()) return "weight";
  return masks.weights.empty() ? "neuron" : "weight+neuron";
}

Json neurons_json(const sparsity::Masks& masks) {
  const metrics::NeuronAudit audit = metrics::audit_neurons(masks.neurons);
  Json found = {{"granularity", granularity_of(masks)}, {"neuron_pct", audit.percent()}};
  for (const metrics::NeuronCount& layer : audit.layers)
    found["neuron_pct_by_layer"][layer.name] = layer.percent();
  return found;
}

}  // namespace

void prepare_data(const data::Dataset& dataset) {
  ProgressLine line;
  dataset.prepare([&](double fraction, std::string_view what) {
    line.update(dataset.info().name, fraction, what);
  });
}

Json measure(Recipe& recipe, const sparsity::Masks& masks, const ScoreSink& sink) {
  nn::Network& network = *recipe.model.network;
  const data::DatasetInfo& info = recipe.model.dataset->info();
  const sparsity::FrozenHooks hooks(masks);
  metrics::ActivityObserver activity(network, masks);

  prepare_data(*recipe.model.dataset);
  data::Loader loader(data::test_view(recipe.model.dataset), recipe.test_loader());
  const Evaluation test =
      evaluate(network, loader, recipe.model.T, recipe.loss, &activity, INT64_MAX, sink);

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
                {"firing_rate", activity.firing_rates().json()},
                {"nm_valid", audit.nm_valid()},
                {"mask_valid", audit.valid()},
                {"empty_blocks", audit.empty_blocks()}};

  if (!info.subset.empty()) found["subset"] = info.subset;
  found.update(accuracy_json(test));
  found.update(neurons_json(masks));
  return found;
}

}  // namespace spikenm::train
