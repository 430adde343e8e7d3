#include "spikenm/sparsity/channel_method.h"

#include "spikenm/sparsity/channel_keys.h"

#include <ATen/ATen.h>

#include <iterator>

namespace spikenm::sparsity {
namespace {

// The first channel of each group.
KeptChannels one_of_each(const std::vector<ChannelGroup>& groups) {
  KeptChannels kept;
  for (const ChannelGroup& group : groups) {
    kept.push_back(at::zeros({group.channels()}));
    kept.back()[0] = 1;
  }
  return kept;
}

}  // namespace

PrunableChannels find_channels(nn::Network& network, const Config& config) {
  PrunableChannels found;
  found.layers = find_layers(network, config, nm::Mask::Kind::kChannel);
  found.groups = find_channel_groups(network, found.layers, config.full_key("layers"));
  return found;
}

ChannelBudget read_channel_budget(const nn::Network& network, const PrunableChannels& found,
                                  const Config& config) {
  using namespace channel_key;
  if (!config.has("target_weight"))
    return {.channels =
                channel_budget(found.groups, kChannels.read(config), config.full_key("channels"))};
  const double target = kTargetWeight.read(config, 1);
  config.no_effect("channels", {"target_weight"});
  const double least =
      weight_share(network.graph(), found.layers, found.groups, one_of_each(found.groups));
  SPIKENM_CHECK(target >= least,
                "{}: found {:g}, which would cut a layer to zero; wanted at least {:.3g}",
                config.full_key("target_weight"), target, least);
  return {.target_weight = target};
}

ChannelMethod::ChannelMethod(nn::Network& network, PrunableChannels channels)
    : Method(std::move(channels.layers)), network_(network), groups_(std::move(channels.groups)) {
  for (const ChannelGroup& group : groups_)
    neurons_.push_back({.id = neurons_.size(), .neuron = group.neuron, .shape = group.shape});
}

nm::Mask ChannelMethod::harden(size_t id) const {
  return channel_mask(network_.graph(), layers_[id], groups_, kept_channels());
}

Tensor ChannelMethod::harden_neurons(size_t id) const {
  return neuron_mask(groups_[id], kept_channels()[id]);
}

KeptChannels ChannelMethod::within(const ChannelBudget& budget,
                                   const std::function<KeptChannels(int64_t)>& keep) const {
  if (!budget.target_weight) return keep(budget.channels);
  const double target = *budget.target_weight;
  const auto share_of = [&](const KeptChannels& kept) {
    return weight_share(network_.graph(), layers_, groups_, kept);
  };
  int64_t below = std::ssize(groups_), above = 0;
  for (const ChannelGroup& group : groups_) above += group.channels();
  while (above - below > 1) {
    const int64_t middle = below + (above - below) / 2;
    (share_of(keep(middle)) <= target ? below : above) = middle;
  }
  KeptChannels fewer = keep(below), more = keep(above);
  return target - share_of(fewer) <= share_of(more) - target ? fewer : more;
}

}  // namespace spikenm::sparsity
