#include "spikenm/sparsity/channels.h"

#include "spikenm/graph/walks.h"
#include "spikenm/sparsity/ranking.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

// The neurons whose spikes a node adds up or passes on; empty where analog values come too.
std::vector<graph::NodeId> spikes_behind(const graph::Graph& graph, graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  if (node.as<graph::Neuron>() != nullptr) return {id};
  const bool is_input = node.as<graph::Input>() != nullptr;
  if (is_input || node.as<graph::Synapse>() != nullptr || node.as<graph::Norm>() != nullptr)
    return {};
  std::vector<graph::NodeId> found;
  for (const graph::NodeId input : node.inputs) {
    const std::vector<graph::NodeId> more = spikes_behind(graph, input);
    if (more.empty()) return {};
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

const ChannelGroup* group_of(const std::vector<ChannelGroup>& groups, graph::NodeId neuron) {
  for (const ChannelGroup& group : groups)
    if (group.neuron->node == neuron) return &group;
  return nullptr;
}

// [Cin] 1 where the layer's input may be other than 0.
at::Tensor kept_inputs(const graph::Graph& graph, const nn::Synapse& synapse,
                       const std::vector<ChannelGroup>& groups, const KeptChannels& kept) {
  const int64_t cin = synapse.weight.size(1);
  const std::vector<graph::NodeId> sources =
      spikes_behind(graph, graph.node(synapse.node).inputs[0]);
  at::Tensor inputs = at::zeros({cin}, at::kFloat);
  for (const graph::NodeId source : sources) {
    const ChannelGroup* const group = group_of(groups, source);
    if (group == nullptr) return at::ones({cin}, at::kFloat);
    const at::Tensor& channels = kept[static_cast<size_t>(group - groups.data())];
    // A flat input has the places of a channel one after another.
    inputs = inputs + channels.cpu().repeat_interleave(cin / group->channels());
  }
  return sources.empty() ? at::ones({cin}, at::kFloat) : inputs.ne(0).to(at::kFloat);
}

// [Cout] 1 where the layer's neurons are kept, or are in no group.
at::Tensor kept_outputs(const nn::Synapse& synapse, const std::vector<ChannelGroup>& groups,
                        const KeptChannels& kept) {
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].synapse == &synapse) return kept[g].cpu();
  return at::ones({synapse.weight.size(0)}, at::kFloat);
}

// Ties the groups that meet at a sum. Where neurons outside all groups meet them, their channels stay
// in any case, and nothing is tied.
void tie_groups(const graph::Graph& graph, std::vector<ChannelGroup>& groups) {
  for (size_t g = 0; g < groups.size(); ++g) groups[g].tie = g;
  for (graph::NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (graph.node(id).as<graph::Sum>() == nullptr) continue;
    std::vector<size_t> meeting;
    const std::vector<graph::NodeId> sources = spikes_behind(graph, id);
    for (const graph::NodeId source : sources)
      if (const ChannelGroup* const group = group_of(groups, source)) meeting.push_back(group->tie);
    if (meeting.size() != sources.size() || meeting.empty()) continue;
    const size_t first = *std::min_element(meeting.begin(), meeting.end());
    for (ChannelGroup& group : groups)
      if (std::find(meeting.begin(), meeting.end(), group.tie) != meeting.end()) group.tie = first;
  }
}

// For each group the sum over those that it is tied to.
std::vector<at::Tensor> tied_sums(const std::vector<ChannelGroup>& groups,
                                  const std::vector<at::Tensor>& values) {
  std::vector<at::Tensor> sums(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    at::Tensor& sum = sums[groups[g].tie];
    sum = sum.defined() ? sum + values[g] : values[g];
  }
  for (size_t g = 0; g < groups.size(); ++g) sums[g] = sums[groups[g].tie];
  return sums;
}

}  // namespace

std::vector<at::Tensor> tied_scores(const std::vector<ChannelGroup>& groups,
                                    const std::vector<at::Tensor>& scores) {
  std::vector<at::Tensor> means = tied_sums(groups, scores);
  for (size_t g = 0; g < groups.size(); ++g)
    means[g] = means[g] /
               std::count_if(groups.begin(), groups.end(),
                             [&](const ChannelGroup& other) { return other.tie == groups[g].tie; });
  return means;
}

KeptChannels tied_channels(const std::vector<ChannelGroup>& groups, const KeptChannels& kept) {
  KeptChannels all = tied_sums(groups, kept);
  for (at::Tensor& channels : all) channels = channels.gt(0).to(at::kFloat);
  return all;
}

std::vector<ChannelGroup> find_channel_groups(nn::Network& network,
                                              const std::vector<MaskableLayer>& layers,
                                              const std::string& what) {
  const graph::Graph& graph = network.graph();
  const graph::Readers readers = graph::readers(graph);
  std::vector<ChannelGroup> groups;
  for (const MaskableLayer& layer : layers) {
    const auto& after = readers[layer.synapse->node];
    if (after.size() != 1 || graph.node(after[0]).as<graph::Norm>() == nullptr) continue;
    const auto& last = readers[after[0]];
    if (last.size() != 1 || graph.node(last[0]).as<graph::Neuron>() == nullptr) continue;
    if (graph::votes(graph, last[0])) continue;  // a class would lose its voters
    groups.push_back({.synapse = layer.synapse,
                      .norm = &network.norm(after[0]),
                      .neuron = &network.neuron(last[0]),
                      .shape = graph.node(last[0]).out.sizes()});
  }
  tie_groups(graph, groups);
  SPIKENM_CHECK(!groups.empty(),
                "{}: leaves no layer with a norm and neurons behind it, whose channels could be "
                "dropped",
                what);
  return groups;
}

nm::Mask channel_mask(const graph::Graph& graph, const MaskableLayer& layer,
                      const std::vector<ChannelGroup>& groups, const KeptChannels& kept) {
  const at::NoGradGuard no_grad;
  const at::Tensor outputs = kept_outputs(*layer.synapse, groups, kept);
  const at::Tensor inputs = kept_inputs(graph, *layer.synapse, groups, kept);
  return mask_from_tensor(layer, (outputs.view({-1, 1, 1, 1}) * inputs.view({1, -1, 1, 1}))
                                     .expand(layer.synapse->weight.sizes()));
}

double weight_share(const graph::Graph& graph, const std::vector<MaskableLayer>& layers,
                    const std::vector<ChannelGroup>& groups, const KeptChannels& kept) {
  const at::NoGradGuard no_grad;
  double left = 0, all = 0;
  for (const MaskableLayer& layer : layers) {
    const at::Tensor& weight = layer.synapse->weight;
    const double outputs = kept_outputs(*layer.synapse, groups, kept).sum().item<double>(),
                 inputs = kept_inputs(graph, *layer.synapse, groups, kept).sum().item<double>();
    left += outputs * inputs * static_cast<double>(weight.size(2) * weight.size(3));
    all += static_cast<double>(weight.numel());
  }
  return left / all;
}

at::Tensor neuron_mask(const ChannelGroup& group, const at::Tensor& kept) {
  std::vector<int64_t> places(group.shape.size(), 1);
  places[0] = group.channels();
  return kept.to(at::kFloat).view(places).expand(group.shape).contiguous();
}

int64_t channel_budget(const std::vector<ChannelGroup>& groups, double share,
                       const std::string& what) {
  int64_t all = 0;
  for (const ChannelGroup& group : groups) all += group.channels();
  const int64_t kept = std::llround(share * static_cast<double>(all));
  const auto least = static_cast<int64_t>(groups.size());
  SPIKENM_CHECK(kept >= least,
                "{}: found {:g}, {} of {} channels, which would cut one of the {} layers to zero; "
                "wanted at least {:.3g}",
                what, share, kept, all, least,
                static_cast<double>(least) / static_cast<double>(all));
  return kept;
}

KeptChannels largest_channels(const std::vector<at::Tensor>& scores, int64_t n) {
  const at::NoGradGuard no_grad;
  KeptChannels kept;
  std::vector<at::Tensor> rest;
  for (const at::Tensor& score : scores) {
    kept.push_back(largest_n(score, 1));
    // Its largest is kept anyway: it takes no place among the others.
    rest.push_back(score.detach().masked_fill(kept.back().ne(0), -1));
  }
  keep_largest(kept, rest, n - static_cast<int64_t>(scores.size()));
  return kept;
}

void keep_largest(KeptChannels& kept, const std::vector<at::Tensor>& scores, int64_t n) {
  const at::Tensor all = largest_n(at::cat(scores), n);
  int64_t begin = 0;
  for (at::Tensor& mask : kept) {
    mask = at::maximum(mask, all.narrow(0, begin, mask.numel()));
    begin += mask.numel();
  }
}

}  // namespace spikenm::sparsity
