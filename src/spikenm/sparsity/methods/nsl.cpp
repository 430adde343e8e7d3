#include "spikenm/sparsity/channels.h"
#include "spikenm/sparsity/methods/nsl_keys.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

// [Liu17], as what is known of NSL describes it: the search pulls the scale gamma of every norm
// towards 0, prune keeps the channels with the largest |gamma| of all layers together, and the rest
// is finetuned. It masks the weights and the neurons of a dropped channel.
class Nsl : public Method {
 public:
  Nsl(nn::Network& network, std::vector<MaskableLayer> layers, std::vector<ChannelGroup> groups,
      int64_t n_kept, double penalty)
      : Method(std::move(layers)),
        network_(network),
        groups_(std::move(groups)),
        n_kept_(n_kept),
        penalty_(penalty) {
    for (const ChannelGroup& group : groups_)
      neurons_.push_back({.id = neurons_.size(), .neuron = group.neuron, .shape = group.shape});
  }

  // As long as the training that follows.
  [[nodiscard]] double search_share() const override { return 0.5; }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  // dL/dgamma += penalty sign(gamma).
  void after_backward(const StepInfo&) override {
    const at::NoGradGuard no_grad;
    for (const ChannelGroup& group : groups_) {
      const Tensor& gamma = group.norm->state.gamma;
      if (gamma.grad().defined()) gamma.mutable_grad().add_(gamma.sign(), penalty_);
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
    return largest_channels(scales, n_kept_);
  }

  const nn::Network& network_;
  std::vector<ChannelGroup> groups_;
  int64_t n_kept_;
  double penalty_;
};

}  // namespace

std::unique_ptr<Method> make_nsl(nn::Network& network, const Config& config, uint64_t) {
  const double share = nsl_key::kChannels.read(config), penalty = nsl_key::kPenalty.read(config);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kChannel);
  std::vector<ChannelGroup> groups =
      find_channel_groups(network, layers, config.full_key("layers"));
  int64_t all = 0;
  for (const ChannelGroup& group : groups) all += group.channels();
  const int64_t kept = std::llround(share * static_cast<double>(all));
  const auto least = static_cast<int64_t>(groups.size());
  SPIKENM_CHECK(kept >= least,
                "{}: found {:g}, {} of {} channels, which would cut one of the {} layers to zero; "
                "wanted at least {:.3g}",
                config.full_key("channels"), share, kept, all, least,
                static_cast<double>(least) / static_cast<double>(all));
  return std::make_unique<Nsl>(network, std::move(layers), std::move(groups), kept, penalty);
}

}  // namespace spikenm::sparsity
