#include "spikenm/sparsity/channels.h"
#include "spikenm/sparsity/methods/nsl_keys.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {
namespace {

struct NslOptions {
  int64_t channels = 0;                 // that are kept
  std::optional<double> target_weight;  // if set, `channels` is found
  double penalty = 0;
};

// [Liu17], as what is known of NSL describes it: the search pulls the scale gamma of every norm
// towards 0, prune keeps the channels with the largest |gamma| of all layers together, and the rest
// is finetuned. It masks the weights and the neurons of a dropped channel. Layers that are added up
// keep the same channels, by the mean of their scales.
class Nsl : public Method {
 public:
  Nsl(nn::Network& network, std::vector<MaskableLayer> layers, std::vector<ChannelGroup> groups,
      const NslOptions& options)
      : Method(std::move(layers)),
        network_(network),
        groups_(std::move(groups)),
        options_(options) {
    for (const ChannelGroup& group : groups_)
      neurons_.push_back({.id = neurons_.size(), .neuron = group.neuron, .shape = group.shape});
  }

  // As long as the training that follows.
  [[nodiscard]] double search_share() const override { return 0.5; }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
  [[nodiscard]] bool changes_spikes() const override { return false; }

  // dL/dgamma += penalty sign(gamma).
  void after_backward(const StepInfo&) override {
    const at::NoGradGuard no_grad;
    for (const ChannelGroup& group : groups_) {
      const Tensor& gamma = group.norm->state.gamma;
      if (gamma.grad().defined()) gamma.mutable_grad().add_(gamma.sign(), options_.penalty);
    }
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return channel_mask(network_.graph(), layers_[id], groups_, kept());
  }
  [[nodiscard]] Tensor harden_neurons(size_t id) const override {
    return neuron_mask(groups_[id], kept()[id]);
  }

 private:
  [[nodiscard]] KeptChannels kept() const {
    std::vector<Tensor> scales;
    for (const ChannelGroup& group : groups_)
      scales.push_back(group.norm->state.gamma.detach().abs());
    if (!options_.target_weight) return largest(scales, options_.channels);
    return nearest(scales, *options_.target_weight);
  }

  [[nodiscard]] KeptChannels largest(const std::vector<Tensor>& scales, int64_t n) const {
    return tied_channels(groups_, largest_channels(tied_scores(groups_, scales), n));
  }

  // As many of the largest channels as leave the share of weights nearest to the target. More
  // channels never leave fewer weights.
  [[nodiscard]] KeptChannels nearest(const std::vector<Tensor>& scales, double target) const {
    const auto share_of = [&](const KeptChannels& kept) {
      return weight_share(network_.graph(), layers_, groups_, kept);
    };
    auto below = static_cast<int64_t>(groups_.size()), above = at::cat(scales).numel();
    while (above - below > 1) {
      const int64_t middle = below + (above - below) / 2;
      (share_of(largest(scales, middle)) <= target ? below : above) = middle;
    }
    const KeptChannels fewer = largest(scales, below), more = largest(scales, above);
    return target - share_of(fewer) <= share_of(more) - target ? fewer : more;
  }

  const nn::Network& network_;
  std::vector<ChannelGroup> groups_;
  NslOptions options_;
};

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

std::unique_ptr<Method> make_nsl(nn::Network& network, const Config& config, uint64_t) {
  using namespace nsl_key;
  NslOptions o;
  o.penalty = kPenalty.read(config);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kChannel);
  std::vector<ChannelGroup> groups =
      find_channel_groups(network, layers, config.full_key("layers"));
  if (!config.has("target_weight")) {
    o.channels = channel_budget(groups, kChannels.read(config), config.full_key("channels"));
  } else {
    o.target_weight = kTargetWeight.read(config, 1);
    config.no_effect("channels", {"target_weight"});
    const double least = weight_share(network.graph(), layers, groups, one_of_each(groups));
    SPIKENM_CHECK(*o.target_weight >= least,
                  "{}: found {:g}, which would cut a layer to zero; wanted at least {:.3g}",
                  config.full_key("target_weight"), *o.target_weight, least);
  }
  return std::make_unique<Nsl>(network, std::move(layers), std::move(groups), o);
}

}  // namespace spikenm::sparsity
