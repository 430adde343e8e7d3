#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"
#include "spikenm/sparsity/erk.h"
#include "spikenm/sparsity/interval.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/esl_keys.h"
#include "spikenm/sparsity/ranking.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace spikenm::sparsity {
namespace {

struct EslOptions {
  double density = 0.5;
  bool by_gradient = true;
  Interval every;
  double fraction = 0.5, fraction_end = 0.005;
};

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Numbers in (0, 1) in the shape of the layer's weight, that depend only on (seed, layer, step).
Tensor random_scores(const MaskableLayer& layer, uint64_t seed, int64_t step) {
  const RandomAddress random(seed,
                             random_stream(RandomUse::kRandomMask, static_cast<uint32_t>(layer.id)),
                             static_cast<uint32_t>(step));
  Tensor scores = at::empty(layer.synapse->weight.sizes(), at::kFloat);
  float* const out = scores.mutable_data_ptr<float>();
  parallel_for(scores.numel(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(random.uniform(static_cast<uint64_t>(i)));
  });
  return scores.to(layer.synapse->weight.device());
}

// [Shen23], by what is known of it: a random mask with densities by shape, constant in number. Every
// `every` steps a layer drops a share of its kept weights, the smallest, and grows as many of the
// others from 0.
class Esl : public Method {
 public:
  Esl(std::vector<MaskableLayer> layers, const EslOptions& options, uint64_t seed)
      : Method(std::move(layers)),
        options_(options),
        seed_(seed),
        states_(layers_.size()),
        rewired_(at::zeros({1}, layers_.front().synapse->weight.options().dtype(at::kLong))) {
    std::vector<nm::WeightShape> shapes;
    for (const MaskableLayer& layer : layers_) shapes.push_back(layer.synapse->shape());
    const std::vector<int64_t> counts = erk_counts(shapes, options.density);
    for (const MaskableLayer& layer : layers_) {
      State& state = states_[layer.id];
      state.sink->kind = ops::CreditKind::kNone;  // the gradient itself is enough
      state.sink->wants_gradient = true;
      state.kept = counts[layer.id];
      state.keep = largest_n(random_scores(layer, seed, 0), state.kept);
    }
  }

  void begin_step(const StepInfo& info) override { rewires_ = rewires_at(info); }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return weight * states_[id].keep;
  }
  // In every step, not only in those that rewire: a recorded step would have to be recorded again for
  // them, and the gradient is made anyway.
  std::shared_ptr<ops::CreditSink> credit(size_t id) override {
    return options_.by_gradient ? states_[id].sink : nullptr;
  }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }

  void after_backward(const StepInfo& info) override { overflow_ = info.scaling.overflow; }

  void after_step(const StepInfo& info, const ClearMoments& clear_moments) override {
    if (!rewires_) return;
    const double progress = static_cast<double>(info.step + 1) / static_cast<double>(info.steps);
    const double share = options_.fraction_end + (options_.fraction - options_.fraction_end) / 2 *
                                                     (1 + std::cos(std::numbers::pi * progress));
    for (const MaskableLayer& layer : layers_) rewire(layer, share, info.step, clear_moments);
    rewires_ = false;
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_tensor(layers_[id], states_[id].keep);
  }

  [[nodiscard]] bool keeps_its_numbers() const override { return true; }
  [[nodiscard]] Targets targets() const override { return {.weights = options_.density}; }

  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override {
    if (search_steps > options_.every.steps(search_steps)) return {};
    if (search_steps == 0) return Method::doubts(search_steps);
    return {
        fmt::format("{}: found {}, and the search has {} steps, so the mask never changes "
                    "and stays the random one it starts from",
                    options_.every.key, options_.every.text(), search_steps)};
  }

  Json take_statistics() override {
    const auto n = rewired_.item<int64_t>();
    rewired_.zero_();
    return {{"rewired_weights", n}};
  }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    auto rewired = rewired_.item<int64_t>();
    visitor.value("rewired_weights", rewired);
    rewired_.fill_(rewired);
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      visitor.tensor("keep", states_[layer.id].keep);
    }
  }

 private:
  struct State {
    std::shared_ptr<ops::CreditSink> sink = std::make_shared<ops::CreditSink>();
    Tensor keep;  // in the weight's shape; its memory stays where it is
    int64_t kept = 0;
  };

  // The last step of a search changes nothing.
  [[nodiscard]] bool rewires_at(const StepInfo& info) const {
    const int64_t done = info.step + 1;
    return done < info.steps && done % options_.every.steps(info.steps) == 0;
  }

  void rewire(const MaskableLayer& layer, double share, int64_t step,
              const ClearMoments& clear_moments) {
    const at::NoGradGuard no_grad;
    State& state = states_[layer.id];
    const Tensor& weight = layer.synapse->weight;
    const auto n = static_cast<int64_t>(std::ceil(share * static_cast<double>(state.kept)));
    if (n == 0) return;

    const Tensor before = state.keep.clone();
    const Tensor sizes = (-weight.abs()).masked_fill(before.eq(0), kNever);
    const Tensor dropped = largest_n(sizes, n), left = before - dropped;
    const Tensor scores = options_.by_gradient
                              ? state.sink->gradient.abs()
                              : random_scores(layer, seed_, step + 1);  // step 0 drew the first
    const Tensor grown = largest_n(scores.masked_fill(left.ne(0), kNever), n);
    state.keep.copy_(if_taken(left + grown, before));
    // What was dropped and grows again at once goes on from 0 too.
    const Tensor untouched = if_taken((1 - dropped) * (1 - grown), at::ones_like(before));
    weight.mul_(untouched);
    clear_moments(weight, untouched);
    rewired_.add_(if_taken(at::full_like(rewired_, n), at::zeros_like(rewired_)));
  }

  // A step that overflowed has no gradient, and changes nothing. The host does not wait to know.
  [[nodiscard]] Tensor if_taken(const Tensor& changed, const Tensor& otherwise) const {
    return overflow_.defined() ? at::where(overflow_.ne(0), otherwise, changed) : changed;
  }

  EslOptions options_;
  uint64_t seed_;
  std::vector<State> states_;
  bool rewires_ = false;  // after this step
  Tensor overflow_;       // of this step, as in Scaling
  Tensor rewired_;        // [1] int64, weights since statistics were taken
};

}  // namespace

std::unique_ptr<Method> make_esl(nn::Network& network, const Config& config, uint64_t seed) {
  using namespace esl_key;
  EslOptions o;
  o.density = kTargetWeight.read(config, o.density);
  o.by_gradient = kGrow.read(config) == 0;
  o.every = read_interval(config, kEvery);
  o.fraction = kFraction.read(config, o.fraction);
  o.fraction_end =
      kFractionEnd.read_within(config, std::min(o.fraction_end, o.fraction), 0, o.fraction);
  std::vector<MaskableLayer> layers = find_layers(network, config, nm::Mask::Kind::kUnstructured);
  check_weight_share(layers, o.density, config.full_key("target_weight"));
  return std::make_unique<Esl>(std::move(layers), o, seed);
}

}  // namespace spikenm::sparsity
