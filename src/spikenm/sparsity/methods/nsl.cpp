#include "spikenm/sparsity/channel_method.h"
#include "spikenm/sparsity/methods/nsl_keys.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {
namespace {

struct NslOptions {
  ChannelBudget budget;
  double penalty = 0;
};

// [Liu17], as what is known of NSL describes it: the search pulls the scale gamma of every norm
// towards 0, prune keeps the channels with the largest |gamma| of all layers together, and the rest
// is finetuned. It masks the weights and the neurons of a dropped channel. Layers that are added up
// keep the same channels, by the mean of their scales.
class Nsl : public ChannelMethod {
 public:
  Nsl(nn::Network& network, PrunableChannels channels, const NslOptions& options)
      : ChannelMethod(network, std::move(channels)), options_(options) {}

  // As long as the training that follows.
  [[nodiscard]] double search_share() const override { return 0.5; }

  [[nodiscard]] Targets targets() const override {
    return {.weights = options_.budget.target_weight};
  }

  // dL/dgamma += penalty sign(gamma).
  void after_backward(const StepInfo&) override {
    const at::NoGradGuard no_grad;
    for (const ChannelGroup& group : groups()) {
      const Tensor& gamma = group.norm->state.gamma;
      if (gamma.grad().defined()) gamma.mutable_grad().add_(gamma.sign(), options_.penalty);
    }
  }

 protected:
  [[nodiscard]] KeptChannels kept_channels() const override {
    std::vector<Tensor> scales;
    for (const ChannelGroup& group : groups())
      scales.push_back(group.norm->state.gamma.detach().abs());
    return within(options_.budget, [&](int64_t n) {
      return tied_channels(groups(), largest_channels(tied_scores(groups(), scales), n));
    });
  }

 private:
  NslOptions options_;
};

}  // namespace

std::unique_ptr<Method> make_nsl(nn::Network& network, const Config& config, uint64_t) {
  PrunableChannels found = find_channels(network, config);
  const NslOptions options{.budget = read_channel_budget(network, found, config),
                           .penalty = nsl_key::kPenalty.read(config)};
  return std::make_unique<Nsl>(network, std::move(found), options);
}

}  // namespace spikenm::sparsity
