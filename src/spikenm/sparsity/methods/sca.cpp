#include "spikenm/sparsity/channels.h"
#include "spikenm/sparsity/methods/sca_keys.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <utility>

namespace spikenm::sparsity {
namespace {

struct ScaOptions {
  int64_t active = 0, regrown = 0;  // channels that are kept by activity, and by gradient
  double penalty = 0;
};

// [Li24], by code derived from its authors': over an epoch every channel adds up its activity, the mean of
// spike + |v|. At the end of the epoch the most active channels of all layers together are kept, and
// of the others those with the largest |dL/dgamma| of the last batch. The filter, gamma and beta of
// the rest are set to 0 once; the optimiser's moments stay, so that a channel can recover. Guessed:
// every layer keeps its most active channel.
class Sca : public Method {
 public:
  Sca(nn::Network& network, std::vector<MaskableLayer> layers, std::vector<ChannelGroup> groups,
      const ScaOptions& options)
      : Method(std::move(layers)),
        network_(network),
        groups_(std::move(groups)),
        options_(options) {
    for (const ChannelGroup& group : groups_) {
      neurons_.push_back({.id = neurons_.size(), .neuron = group.neuron, .shape = group.shape});
      activity_.push_back(at::zeros_like(group.norm->state.gamma.detach()));
      kept_.push_back(at::ones_like(activity_.back()));
    }
  }

  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
  [[nodiscard]] bool changes_spikes() const override { return false; }
  [[nodiscard]] Tensor activity(size_t id) const override { return activity_[id]; }

  // dL/dw += penalty sign(w).
  void after_backward(const StepInfo& info) override {
    const at::NoGradGuard no_grad;
    for (const ChannelGroup& group : groups_) {
      const Tensor& weight = group.synapse->weight;
      if (options_.penalty > 0 && weight.grad().defined())
        weight.mutable_grad().add_(weight.sign(), options_.penalty);
    }
    const Tensor& overflow = info.scaling.overflow;
    if (info.ends_epoch) has_gradients_ = !overflow.defined() || overflow.item<float>() == 0;
  }

  void after_step(const StepInfo& info, const ClearMoments&) override {
    if (!info.ends_epoch) return;
    const at::NoGradGuard no_grad;
    const KeptChannels before = kept_;
    choose();
    for (size_t g = 0; g < groups_.size(); ++g) {
      changed_ += kept_[g].ne(before[g]).sum().item<int64_t>();
      silence(groups_[g], kept_[g]);
      activity_[g].zero_();
    }
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return channel_mask(network_.graph(), layers_[id], groups_, kept_);
  }
  [[nodiscard]] Tensor harden_neurons(size_t id) const override {
    return neuron_mask(groups_[id], kept_[id]);
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> tensors;
    for (size_t g = 0; g < groups_.size(); ++g)
      tensors.push_back({groups_[g].synapse->name + ".activity", activity_[g]});
    return tensors;
  }
  Json take_statistics() override { return {{"changed_channels", std::exchange(changed_, 0)}}; }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("changed_channels", changed_);
    for (size_t g = 0; g < groups_.size(); ++g) {
      const nn::StateVisitor::Scope scope(visitor, groups_[g].synapse->name);
      visitor.tensor("activity", activity_[g]);
      visitor.tensor("kept", kept_[g]);
    }
  }

 private:
  // A last batch whose gradients overflowed says nothing: then activity chooses these too.
  void choose() {
    kept_ = largest_channels(activity_, options_.active);
    std::vector<Tensor> scores;
    for (size_t g = 0; g < groups_.size(); ++g) {
      const Tensor& gradient = groups_[g].norm->state.gamma.grad();
      const Tensor score = has_gradients_ && gradient.defined() ? gradient.abs() : activity_[g];
      scores.push_back(score.masked_fill(kept_[g].ne(0), -1));
    }
    keep_largest(kept_, scores, options_.regrown);
  }

  static void silence(const ChannelGroup& group, const Tensor& kept) {
    group.synapse->weight.mul_(kept.view({-1, 1, 1, 1}));
    group.norm->state.gamma.mul_(kept);
    group.norm->state.beta.mul_(kept);
  }

  const nn::Network& network_;
  std::vector<ChannelGroup> groups_;
  ScaOptions options_;
  std::vector<Tensor> activity_;  // [C] sums over the epoch's batches; their memory stays
  KeptChannels kept_;             // all, before the first epoch has ended
  bool has_gradients_ = true;     // of the last batch of the epoch
  int64_t changed_ = 0;           // channels, since statistics were taken
};

}  // namespace

std::unique_ptr<Method> make_sca(nn::Network& network, const Config& config, uint64_t) {
  using namespace sca_key;
  const double share = kChannels.read(config), regrow = kRegrow.read(config);
  const double penalty = kPenalty.read(config);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kChannel);
  std::vector<ChannelGroup> groups =
      find_channel_groups(network, layers, config.full_key("layers"));
  const int64_t kept = channel_budget(groups, share, config.full_key("channels"));
  const auto least = static_cast<int64_t>(groups.size());
  const int64_t regrown = std::llround(regrow * static_cast<double>(kept));
  SPIKENM_CHECK(kept - regrown >= least,
                "{}: found {:g}, which leaves {} of {} kept channels to activity; wanted one for "
                "each of the {} layers at least",
                config.full_key("regrow"), regrow, kept - regrown, kept, least);
  return std::make_unique<Sca>(
      network, std::move(layers), std::move(groups),
      ScaOptions{.active = kept - regrown, .regrown = regrown, .penalty = penalty});
}

}  // namespace spikenm::sparsity
