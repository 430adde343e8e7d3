#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/grad_r_keys.h"
#include "spikenm/sparsity/ranking.h"
#include "spikenm/sparsity/unmasked_gradient.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <utility>

namespace spikenm::sparsity {
namespace {

constexpr double kBeta1 = 0.9;  // of Adam's first moment, whose correction the pull has too

// [Chen21] A weight has a fixed sign s and a hidden theta: w = s max(theta, 0). The gradient of w
// moves theta of inactive weights too, which makes them grow again, and a Laplace prior around
// mu = ln(2 (1 - p)) / alpha pulls every theta towards sparsity p. The network's weights are s theta
// until prune.
class GradR : public Method {
 public:
  GradR(std::vector<MaskableLayer> layers, double sparsity, double alpha)
      : Method(std::move(layers)),
        sparsity_(sparsity),
        alpha_(alpha),
        mu_(std::log(2 * (1 - sparsity)) / alpha),
        signs_(layers_.size()),
        pulls_(layers_.size()) {}

  // All epochs: nothing is finetuned.
  [[nodiscard]] double search_share() const override { return 1; }

  // The signs are those of the weights that training starts from.
  void begin_step(const StepInfo&) override {
    for (const MaskableLayer& layer : layers_)
      if (!signs_[layer.id].defined()) signs_[layer.id] = sign_of(layer);
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    const Tensor now = weight.detach();
    return used_in_place_of(weight, now * (now * sign(id)).gt(0));
  }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  // The pull reads theta as the gradient saw it. It moves nothing yet: the step may still be skipped.
  void after_backward(const StepInfo& info) override {
    const at::NoGradGuard no_grad;
    overflow_ = info.scaling.overflow;
    for (const MaskableLayer& layer : layers_) {
      const Tensor pull = (theta(layer.id) - mu_).sign() * sign(layer.id);
      pulls_[layer.id] = pull.to(at::kChar);
    }
  }

  void after_step(const StepInfo& info, const ClearMoments&) override {
    const at::NoGradGuard no_grad;
    const double rate = info.lr / (1 - std::pow(kBeta1, static_cast<double>(info.step + 1)));
    for (const MaskableLayer& layer : layers_) {
      Tensor pull = std::exchange(pulls_[layer.id], Tensor());
      if (!pull.defined()) continue;
      const Tensor& weight = layer.synapse->weight;
      pull = pull.to(weight.scalar_type());
      if (overflow_.defined()) pull = pull * overflow_.eq(0);
      weight.sub_(pull, alpha_ * rate);
    }
  }

  // As many weights as the target leaves, those with the largest theta.
  [[nodiscard]] nm::Mask harden(size_t id) const override {
    std::vector<Tensor> thetas;
    for (const MaskableLayer& layer : layers_) thetas.push_back(theta(layer.id));
    return mask_from_tensor(layers_[id], largest_of_all(thetas, target())[id]);
  }
  // Where fewer are active, all that are stay as they are, and the rest is kept at 0.
  [[nodiscard]] Tensor used_weight(size_t id) const override {
    if (active() >= target()) return {};
    return layers_[id].synapse->weight.detach() * theta(id).gt(0);
  }

  [[nodiscard]] Targets targets() const override { return {.weights = 1 - sparsity_}; }
  Json take_statistics() override { return {{"active", active_share()}}; }
  [[nodiscard]] Json outcome() const override { return {{"active_pct", 100 * active_share()}}; }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    bool has_signs = signs_.front().defined();
    visitor.value("has_signs", has_signs);
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      Tensor& sign = signs_[layer.id];
      if (!has_signs) {
        sign.reset();
        continue;
      }
      if (!sign.defined()) sign = sign_of(layer);
      visitor.tensor("sign", sign);
    }
  }

 private:
  [[nodiscard]] static Tensor sign_of(const MaskableLayer& layer) {
    const Tensor weight = layer.synapse->weight.detach();
    return at::where(weight.lt(0), at::full_like(weight, -1), at::ones_like(weight));
  }
  [[nodiscard]] Tensor sign(size_t id) const {
    return signs_[id].defined() ? signs_[id] : sign_of(layers_[id]);
  }
  [[nodiscard]] Tensor theta(size_t id) const {
    return layers_[id].synapse->weight.detach() * sign(id);
  }

  // Numbers of weights.
  [[nodiscard]] int64_t all() const {
    int64_t n = 0;
    for (const MaskableLayer& layer : layers_) n += layer.synapse->weight.numel();
    return n;
  }
  [[nodiscard]] int64_t target() const {
    return std::llround((1 - sparsity_) * static_cast<double>(all()));
  }
  [[nodiscard]] int64_t active() const {
    int64_t n = 0;
    for (const MaskableLayer& layer : layers_) n += theta(layer.id).gt(0).sum().item<int64_t>();
    return n;
  }
  [[nodiscard]] double active_share() const {
    return static_cast<double>(active()) / static_cast<double>(all());
  }

  double sparsity_, alpha_, mu_;
  std::vector<Tensor> signs_;  // s of each layer; undefined before the first step
  std::vector<Tensor> pulls_;  // -1, 0 or 1 as int8, between backward and optimiser
  Tensor overflow_;            // of this step, as in Scaling
};

}  // namespace

std::unique_ptr<Method> make_grad_r(nn::Network& network, const Config& config, uint64_t) {
  const double sparsity = grad_r_key::kSparsity.read(config),
               alpha = grad_r_key::kAlpha.read(config);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kUnstructured);
  const double least = least_weight_share(layers);
  SPIKENM_CHECK(1 - sparsity >= least,
                "{}: found {:.8g}, which leaves some of the {} layers without a weight; wanted at "
                "most {:.8g}",
                config.full_key("sparsity"), sparsity, layers.size(), 1 - least);
  return std::make_unique<GradR>(std::move(layers), sparsity, alpha);
}

}  // namespace spikenm::sparsity
