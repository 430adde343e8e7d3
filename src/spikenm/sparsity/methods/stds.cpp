#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/stds_keys.h"
#include "spikenm/sparsity/ranking.h"
#include "spikenm/sparsity/unmasked_gradient.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spikenm::sparsity {
namespace {

// With a target the threshold is found this many times in a search: it sorts all weights.
constexpr int64_t kSearches = 200;

struct StdsOptions {
  double threshold = 1;
  bool sine = true;
  std::optional<double> target_weight;
};

// How much of the whole way the threshold has gone: 0 at the start, 1 at the end.
double grown(const StdsOptions& options, double progress) {
  if (!options.sine) return progress;
  return (1 + std::sin(std::numbers::pi * (progress - 0.5))) / 2;
}

// [Chen22] w = sign(theta) max(|theta| - d, 0), where d grows over the training. The gradient goes
// past the threshold to theta; a theta of exactly 0 gets none. The network's weights are theta until
// prune writes w in their place.
class Stds : public Method {
 public:
  Stds(std::vector<MaskableLayer> layers, const StdsOptions& options)
      : Method(std::move(layers)),
        options_(options),
        threshold_(at::zeros({1}, layers_.front().synapse->weight.options())) {}

  // All epochs: nothing is finetuned.
  [[nodiscard]] double search_share() const override { return 1; }

  Tensor effective_weight(size_t, const Tensor& weight) override {
    const Tensor moves = weight.detach().ne(0);
    return shrunk(weight.detach()) + (weight - weight.detach()) * moves;
  }
  // The threshold is read from memory that stays where it is.
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  void after_step(const StepInfo& info, const ClearMoments&) override {
    const int64_t done = info.step + 1;
    const double way = grown(options_, static_cast<double>(done) / static_cast<double>(info.steps));
    if (!options_.target_weight) return set_threshold(options_.threshold * way);
    const int64_t every = std::max<int64_t>(1, info.steps / kSearches);
    if (done % every == 0 || done == info.steps)
      set_threshold(threshold_that_keeps(1 - (1 - *options_.target_weight) * way));
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_tensor(layers_[id], layers_[id].synapse->weight.detach().abs().gt(threshold_));
  }
  [[nodiscard]] Tensor used_weight(size_t id) const override {
    return shrunk(layers_[id].synapse->weight.detach());
  }

  [[nodiscard]] Targets targets() const override { return {.weights = options_.target_weight}; }
  Json take_statistics() override { return {{"threshold", now_}}; }
  [[nodiscard]] Json outcome() const override { return {{"threshold", now_}}; }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("threshold", now_);
    if (visitor.loads()) set_threshold(now_);
  }

 private:
  [[nodiscard]] Tensor shrunk(const Tensor& theta) const {
    return theta.sign() * (theta.abs() - threshold_).relu();
  }

  void set_threshold(double value) {
    now_ = static_cast<float>(value);
    threshold_.fill_(now_);
  }

  [[nodiscard]] double threshold_that_keeps(double share) const {
    std::vector<Tensor> sizes;
    int64_t all = 0;
    for (const MaskableLayer& layer : layers_) {
      sizes.push_back(layer.synapse->weight.detach().abs());
      all += sizes.back().numel();
    }
    const auto kept = std::llround(share * static_cast<double>(all));
    return kept == all ? 0 : bound_above(sizes, kept);
  }

  StdsOptions options_;
  double now_ = 0;    // d, as a float
  Tensor threshold_;  // [1] the same on the weights' device
};

StdsOptions read_options(const Config& config) {
  using namespace stds_key;
  StdsOptions o;
  o.sine = kGrowth.read(config) == 0;
  if (config.has("target_weight")) {
    o.target_weight = kTargetWeight.read(config, 1);
    config.no_effect("threshold", {"target_weight"});
  } else {
    o.threshold = kThreshold.read(config, o.threshold);
  }
  return o;
}

}  // namespace

std::unique_ptr<Method> make_stds(nn::Network& network, const Config& config, uint64_t) {
  const StdsOptions options = read_options(config);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kUnstructured);
  if (options.target_weight)
    check_weight_share(layers, *options.target_weight, config.full_key("target_weight"));
  return std::make_unique<Stds>(std::move(layers), options);
}

}  // namespace spikenm::sparsity
