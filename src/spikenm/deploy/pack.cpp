#include "spikenm/deploy/pack.h"

#include "spikenm/graph/walks.h"
#include "spikenm/train/commit.h"

#include <cmath>

namespace spikenm::deploy {
namespace {

using graph::NodeId;
using runtime::StoredModel;
using runtime::WeightRule;
using runtime::WeightType;

// Whether all places of a kernel keep the same input channels.
bool shares_taps(const nm::Mask& mask, const nm::WeightShape& shape) {
  const int64_t taps = shape.kh * shape.kw;
  if (taps == 1) return false;
  for (size_t i = 0; i < mask.keep.size(); ++i)
    if (mask.keep[i] != mask.keep[i - i % static_cast<size_t>(taps)]) return false;
  return true;
}

std::optional<WeightRule> rule_of(const nm::Mask& mask, const nm::WeightShape& shape) {
  // Without blocks there are no positions to store: zeros are bits.
  if (mask.kind != nm::Mask::Kind::kNm) return std::nullopt;
  const nm::MaskRule rule = nm::rule_of(mask.kind, mask.pattern, mask.layout, shape);
  return WeightRule{.pattern = rule.pattern,
                    .axis = rule.axis,
                    .share_taps = rule.axis == nm::Axis::kIn && shares_taps(mask, shape)};
}

runtime::SynapseTensor pack_synapse(const Trained& from, NodeId id, WeightType type) {
  const graph::Node& node = from.graph.node(id);
  const auto& synapse = *node.as<graph::Synapse>();
  std::optional<WeightRule> rule;
  std::vector<uint8_t> keep;
  const auto mask = from.masks.find(id);
  if (mask != from.masks.end() && mask->second.kind != nm::Mask::Kind::kDense) {
    rule = rule_of(mask->second, synapse.shape);
    keep = mask->second.keep;
  }
  runtime::SynapseTensor tensor = runtime::pack_synapse(from.tensors.at(node.name + ".weight"),
                                                        keep, synapse.shape, rule, type, node.name);
  if (synapse.bias) tensor.bias = from.tensors.at(node.name + ".bias");
  return tensor;
}

runtime::FoldedNorm fold(const Trained& from, const std::string& norm) {
  const auto of = [&](const char* part) -> const std::vector<float>& {
    return from.tensors.at(norm + part);
  };
  const std::vector<float>&gamma = of(".weight"), &beta = of(".bias");
  const std::vector<float>&mean = of(".running_mean"), &var = of(".running_var");
  runtime::FoldedNorm folded;
  for (size_t c = 0; c < gamma.size(); ++c) {
    const double scale = gamma[c] / std::sqrt(var[c] + graph::Norm::kEpsilon);
    folded.scale.push_back(static_cast<float>(scale));
    folded.shift.push_back(static_cast<float>(beta[c] - mean[c] * scale));
  }
  return folded;
}

}  // namespace

StoredModel pack(const Trained& from, WeightType type) {
  StoredModel model{.graph = from.graph};
  model.steps = from.steps;
  model.input = from.input;
  model.neuron_masks = from.neuron_masks;

  const std::vector<graph::Signal> signals = graph::signals(model.graph);
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id) {
    const graph::Node& node = model.graph.node(id);
    if (node.as<graph::Synapse>() != nullptr) {
      const bool reads_spikes = signals[node.inputs[0]] == graph::Signal::kSpikes;
      model.synapses.emplace(id, pack_synapse(from, id, reads_spikes ? type : WeightType::kFloat));
    } else if (node.as<graph::Norm>() != nullptr) {
      model.norms.emplace(id, fold(from, node.name));
    } else if (const auto leak = from.tensors.find(node.name + ".w"); leak != from.tensors.end()) {
      model.leaks[id] = 1 / (1 + std::exp(-static_cast<double>(leak->second.front())));
    }
  }

  model.provenance["commit"] = train::commit();
  model.provenance["seed"] = from.seed;
  model.provenance["data"] = from.data;
  model.provenance["method"] = from.method;
  return model;
}

}  // namespace spikenm::deploy
