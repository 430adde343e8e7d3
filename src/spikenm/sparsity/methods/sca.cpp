#include "spikenm/sparsity/channel_method.h"
#include "spikenm/sparsity/methods/sca_keys.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace spikenm::sparsity {
namespace {

struct ScaOptions {
  ChannelBudget budget;
  double regrow = 0;  // share of the kept channels that are chosen by gradient
  double penalty = 0;
};

int64_t regrown_of(int64_t kept, double regrow) {
  return std::llround(regrow * static_cast<double>(kept));
}

// [Li24], by code derived from its authors': over an epoch every channel adds up its activity, the mean of
// spike + |v|. At the end of the epoch the most active channels of all layers together are kept, and
// of the others those with the largest |dL/dgamma| of the last batch. The filter, gamma and beta of
// the rest are set to 0 once; the optimiser's moments stay, so that a channel can recover. Guessed:
// every layer keeps its most active channel, and layers that are added up keep the same channels, by
// the means of their sums and gradients.
class Sca : public ChannelMethod {
 public:
  Sca(nn::Network& network, PrunableChannels channels, const ScaOptions& options)
      : ChannelMethod(network, std::move(channels)), options_(options) {
    for (const ChannelGroup& group : groups()) {
      activity_.push_back(at::zeros_like(group.norm->state.gamma.detach()));
      kept_.push_back(at::ones_like(activity_.back()));
    }
  }

  [[nodiscard]] Targets targets() const override {
    return {.weights = options_.budget.target_weight};
  }
  [[nodiscard]] Tensor activity(size_t id) const override { return activity_[id]; }

  // dL/dw += penalty sign(w). The source trains in one phase, so it goes on in finetune.
  [[nodiscard]] bool acts_in_finetune() const override { return options_.penalty > 0; }
  void after_backward(const StepInfo& info) override {
    const at::NoGradGuard no_grad;
    for (const ChannelGroup& group : groups()) {
      const Tensor& weight = group.synapse->weight;
      if (options_.penalty > 0 && weight.grad().defined())
        weight.mutable_grad().add_(weight.sign(), options_.penalty);
    }
    is_frozen_ = info.is_frozen;
    if (is_frozen_ || !info.ends_epoch) return;
    const Tensor& overflow = info.scaling.overflow;
    has_gradients_ = !overflow.defined() || overflow.item<float>() == 0;
  }

  void after_step(const StepInfo& info, const ClearMoments&) override {
    if (!info.ends_epoch) return;
    const at::NoGradGuard no_grad;
    const KeptChannels before = kept_;
    choose();
    for (size_t g = 0; g < groups().size(); ++g) {
      changed_ += kept_[g].ne(before[g]).sum().item<int64_t>();
      silence(groups()[g], kept_[g]);
      activity_[g].zero_();
    }
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> tensors;
    for (size_t g = 0; g < groups().size(); ++g)
      tensors.push_back({groups()[g].synapse->name + ".activity", activity_[g]});
    return tensors;
  }
  // Finetune changes none.
  Json take_statistics() override {
    if (is_frozen_) return Json::object();
    return {{"changed_channels", std::exchange(changed_, 0)}};
  }

 protected:
  [[nodiscard]] KeptChannels kept_channels() const override { return kept_; }

  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("changed_channels", changed_);
    visitor.value("is_frozen", is_frozen_);
    for (size_t g = 0; g < groups().size(); ++g) {
      const nn::StateVisitor::Scope scope(visitor, groups()[g].synapse->name);
      visitor.tensor("activity", activity_[g]);
      visitor.tensor("kept", kept_[g]);
    }
  }

 private:
  void choose() {
    kept_ = within(options_.budget, [&](int64_t n) { return best(n); });
  }

  // Each layer's most active channel comes first: of few channels fewer regrow than the share says. A last
  // batch whose gradients overflowed says nothing: then activity chooses these too.
  [[nodiscard]] KeptChannels best(int64_t n) const {
    const int64_t regrown =
        std::min(regrown_of(n, options_.regrow), n - static_cast<int64_t>(groups().size()));
    const std::vector<Tensor> activity = tied_scores(groups(), activity_);
    KeptChannels kept = tied_channels(groups(), largest_channels(activity, n - regrown));
    std::vector<Tensor> scores;
    for (size_t g = 0; g < groups().size(); ++g) {
      const Tensor& gradient = groups()[g].norm->state.gamma.grad();
      scores.push_back(has_gradients_ && gradient.defined() ? gradient.abs() : activity_[g]);
    }
    scores = tied_scores(groups(), scores);
    for (size_t g = 0; g < groups().size(); ++g)
      scores[g] = scores[g].masked_fill(kept[g].ne(0), -1);
    keep_largest(kept, scores, regrown);
    return tied_channels(groups(), kept);
  }

  static void silence(const ChannelGroup& group, const Tensor& kept) {
    group.synapse->weight.mul_(kept.view({-1, 1, 1, 1}));
    group.norm->state.gamma.mul_(kept);
    group.norm->state.beta.mul_(kept);
  }

  ScaOptions options_;
  std::vector<Tensor> activity_;  // [C] sums over the epoch's batches; their memory stays
  KeptChannels kept_;             // all, before the first epoch has ended
  bool has_gradients_ = true;     // of the last batch of the epoch
  bool is_frozen_ = false;        // the last step was one of finetune
  int64_t changed_ = 0;           // channels, since statistics were taken
};

}  // namespace

std::unique_ptr<Method> make_sca(nn::Network& network, const Config& config, uint64_t) {
  PrunableChannels found = find_channels(network, config);
  ScaOptions o{.budget = read_channel_budget(network, found, config),
               .regrow = sca_key::kRegrow.read(config),
               .penalty = sca_key::kPenalty.read(config)};
  const auto least = static_cast<int64_t>(found.groups.size());
  // A target may be met with any number of channels: refused is what could not be had with all of them.
  int64_t kept = 0;
  for (const ChannelGroup& group : found.groups) kept += group.channels();
  if (!o.budget.target_weight) kept = o.budget.channels;
  const int64_t active = kept - regrown_of(kept, o.regrow);
  SPIKENM_CHECK(active >= least,
                "{}: found {:g}, which leaves {} of {} kept channels to activity; wanted one for "
                "each of the {} layers at least",
                config.full_key("regrow"), o.regrow, active, kept, least);
  return std::make_unique<Sca>(network, std::move(found), o);
}

}  // namespace spikenm::sparsity
