// Masks of whole channels: what a layer loses when channels of neurons are silenced.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

// Neurons whose channels may be dropped: a masked layer, a norm and neurons in a row, read by nobody
// in between.
struct ChannelGroup {
  nn::Synapse* synapse = nullptr;
  nn::Norm* norm = nullptr;
  nn::Neuron* neuron = nullptr;
  std::vector<int64_t> shape;  // of the neurons, [C,H,W] or [C]
  // The first of the groups whose spikes are added up somewhere, itself among them: they keep the
  // same channels, so that these can be removed (train/compact.h).
  size_t tie = 0;
  [[nodiscard]] int64_t channels() const { return shape.front(); }
};

// In forward order. An Error begins with `what` where no layer of the list has such neurons.
std::vector<ChannelGroup> find_channel_groups(nn::Network& network,
                                              const std::vector<MaskableLayer>& layers,
                                              const std::string& what);

// Which channels of each group are kept, [C] of 0 and 1.
using KeptChannels = std::vector<at::Tensor>;

// For each group the mean score of all that it is tied to.
std::vector<at::Tensor> tied_scores(const std::vector<ChannelGroup>& groups,
                                    const std::vector<at::Tensor>& scores);
// A channel that one of several tied groups keeps is kept by all.
KeptChannels tied_channels(const std::vector<ChannelGroup>& groups, const KeptChannels& kept);

// The layer's mask: weights from kept to kept channels. An input channel is dropped if all neurons
// whose spikes it adds up drop it.
nm::Mask channel_mask(const graph::Graph& graph, const MaskableLayer& layer,
                      const std::vector<ChannelGroup>& groups, const KeptChannels& kept);

// The share of the layers' weights that those masks keep.
double weight_share(const graph::Graph& graph, const std::vector<MaskableLayer>& layers,
                    const std::vector<ChannelGroup>& groups, const KeptChannels& kept);

// A group's mask of neurons, in their shape.
at::Tensor neuron_mask(const ChannelGroup& group, const at::Tensor& kept);

// How many channels this share of all is. An Error begins with `what` if they are fewer than groups,
// since each keeps one.
int64_t channel_budget(const std::vector<ChannelGroup>& groups, double share,
                       const std::string& what);

// The `n` channels with the largest scores, over all groups together; every group keeps its largest
// at least. The first of equals comes first.
KeptChannels largest_channels(const std::vector<at::Tensor>& scores, int64_t n);

// Keeps the `n` channels with the largest scores too, over all groups together.
void keep_largest(KeptChannels& kept, const std::vector<at::Tensor>& scores, int64_t n);

}  // namespace spikenm::sparsity
