// Small networks as .snm files hold them, with weights that depend on a seed.
#pragma once

#include "spikenm/core/random.h"
#include "spikenm/runtime/stored_model.h"

#include <cmath>
#include <utility>
#include <vector>

namespace spikenm::test {

// One byte for each weight: exactly n of every block, by the seed; tails are kept.
inline std::vector<uint8_t> random_keep(const nm::WeightShape& shape,
                                        const runtime::WeightRule& rule, uint64_t seed) {
  const nm::BlockLayout layout = nm::make_layout(shape, rule.pattern, rule.axis, "test");
  std::vector<uint8_t> keep(static_cast<size_t>(shape.numel()), 1);
  const RandomAddress random(seed, 7);
  const int64_t per_group = layout.rows * layout.blocks_per_row;
  for (int64_t b = 0; b < layout.n_blocks; ++b) {
    const int64_t row = b % per_group / layout.blocks_per_row;
    const int64_t mask = rule.share_taps ? b - row * layout.blocks_per_row : b;
    for (int32_t c = 0; c < layout.channels_of(b); ++c) {
      const int64_t start = layout.start(b) + c * layout.channel_stride;
      const auto at = [&](int64_t s) -> uint8_t& {
        return keep[static_cast<size_t>(start + s * layout.position_stride)];
      };
      for (int s = 0; s < layout.m; ++s) at(s) = 0;
      for (int k = 0, drawn = 0; k < rule.pattern.n; ++drawn) {
        const uint32_t s = random.below(static_cast<uint64_t>(mask) * 256 + drawn % 256,
                                        static_cast<uint32_t>(layout.m));
        const auto place = static_cast<int64_t>(drawn < 200 ? s : drawn % layout.m);
        if (at(place) == 0) ++k;
        at(place) = 1;
      }
    }
  }
  return keep;
}

// How the weights of a stored network are made.
struct StoredOptions {
  int64_t steps = 4;
  std::optional<runtime::WeightRule> rule;                 // of synapses that read spikes
  runtime::WeightType type = runtime::WeightType::kFloat;  // of the same
  double gain = 1.5;                                       // of weights: larger ones fire more
  bool masks_neurons = false;
  uint64_t seed = 1;
};

// Every way to store weights that a session tells apart.
inline std::vector<StoredOptions> stored_ways() {
  using runtime::WeightRule, runtime::WeightType;
  const WeightRule own{{2, 4, 1}, nm::Axis::kIn, false}, shared{{1, 4, 64}, nm::Axis::kIn, false},
      taps{{1, 8, 64}, nm::Axis::kIn, true}, flat{{2, 4, 1}, nm::Axis::kFlat, false};
  return {{.type = WeightType::kInt8},
          {.steps = 1, .rule = own, .type = WeightType::kInt8},
          {.rule = shared, .type = WeightType::kInt8, .masks_neurons = true},
          {.steps = 9, .rule = taps, .type = WeightType::kInt8},
          {.rule = flat, .type = WeightType::kInt8},
          {},
          {.rule = shared, .masks_neurons = true},
          {.rule = own}};
}

inline runtime::SynapseTensor random_synapse(const graph::Synapse& spec, bool reads_spikes,
                                             const StoredOptions& options, uint64_t seed) {
  const nm::WeightShape& shape = spec.shape;
  const RandomAddress random(seed, 1);
  std::vector<float> weight(static_cast<size_t>(shape.numel()));
  const double spread = options.gain / std::sqrt(static_cast<double>(shape.numel() / shape.cout));
  for (size_t i = 0; i < weight.size(); ++i)
    weight[i] = static_cast<float>(spread * (random.normal(i) + 0.3));
  const bool packs = reads_spikes && options.rule && spec.maskable;
  const std::vector<uint8_t> keep =
      packs ? random_keep(shape, *options.rule, seed) : std::vector<uint8_t>();
  runtime::SynapseTensor tensor =
      runtime::pack_synapse(weight, keep, shape, packs ? options.rule : std::nullopt,
                            reads_spikes ? options.type : runtime::WeightType::kFloat, "test");
  if (spec.bias)
    for (int64_t c = 0; c < shape.cout; ++c)
      tensor.bias.push_back(static_cast<float>(0.1 * random.normal(1'000'000 + c)));
  return tensor;
}

inline runtime::StoredModel random_model(graph::Graph graph, const StoredOptions& options = {}) {
  runtime::StoredModel model{.graph = std::move(graph)};
  model.steps = options.steps;
  std::vector<bool> spikes(model.graph.nodes().size());  // reached by spikes alone
  for (graph::NodeId id = 1; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    const bool from_spikes = spikes[node.inputs[0]];
    const uint64_t seed = options.seed * 1000 + id;
    if (const auto* synapse = node.as<graph::Synapse>()) {
      model.synapses.emplace(id, random_synapse(*synapse, from_spikes, options, seed));
    } else if (node.as<graph::Norm>() != nullptr) {
      runtime::FoldedNorm& norm = model.norms[id];
      const RandomAddress random(seed, 2);
      for (int64_t c = 0; c < node.out.channels; ++c) {
        norm.scale.push_back(static_cast<float>(random.uniform(2 * c, 0.5, 2) *
                                                (random.below(2 * c + 1, 8) == 0 ? -1 : 1)));
        norm.shift.push_back(static_cast<float>(random.uniform(1'000'000 + c, -0.2, 0.4)));
      }
    } else if (const auto* neuron = node.as<graph::Neuron>()) {
      spikes[id] = true;
      if (graph::traits_of(neuron->params.neuron).learns_leak) model.leaks[id] = 0.375;
      if (options.masks_neurons) {
        const RandomAddress random(seed, 3);
        for (int64_t i = 0; i < node.out.values(); ++i)
          model.neuron_masks[id].push_back(random.below(i, 4) != 0);
      }
    } else {
      spikes[id] = from_spikes;
    }
  }
  return model;
}

}  // namespace spikenm::test
