// What methods that drop whole channels have in common: which channels there are, and the masks of
// weights and neurons that follow from those that are kept.
#pragma once

#include "spikenm/sparsity/channels.h"

namespace spikenm::sparsity {

// The layers that the config chooses, and the channels among them that may be dropped.
struct PrunableChannels {
  std::vector<MaskableLayer> layers;
  std::vector<ChannelGroup> groups;
};

PrunableChannels find_channels(nn::Network& network, const Config& config);

// How many channels are kept, over all layers together: a number, or as many as leave a share of the
// weights.
struct ChannelBudget {
  int64_t channels = 0;
  std::optional<double> target_weight;  // if set, `channels` is found
};

// An Error where the config asks for less than one channel a layer.
ChannelBudget read_channel_budget(const nn::Network& network, const PrunableChannels& found,
                                  const Config& config);

class ChannelMethod : public Method {
 public:
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
  [[nodiscard]] bool changes_spikes() const override { return false; }

  [[nodiscard]] nm::Mask harden(size_t id) const override;
  [[nodiscard]] Tensor harden_neurons(size_t id) const override;

 protected:
  ChannelMethod(nn::Network& network, PrunableChannels channels);

  // The channels that prune would keep now.
  [[nodiscard]] virtual KeptChannels kept_channels() const = 0;
  // What `keep(n)`, which chooses n channels, chooses by the budget: with a target as many as leave the share
  // of weights nearest to it, at least one of each layer. More channels must never leave fewer weights.
  [[nodiscard]] KeptChannels within(const ChannelBudget& budget,
                                    const std::function<KeptChannels(int64_t)>& keep) const;

  [[nodiscard]] const std::vector<ChannelGroup>& groups() const { return groups_; }

 private:
  const nn::Network& network_;
  std::vector<ChannelGroup> groups_;
};

}  // namespace spikenm::sparsity
