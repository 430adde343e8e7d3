// One logit per pattern of a block, and one Gumbel draw among them. The paper's N draws from M
// logits replace this.
#include "spikenm/ops/pattern_class.h"
#include "spikenm/core/random.h"
#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/mask_logits.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/pattern_class_keys.h"
#include "spikenm/sparsity/positions.h"
#include "spikenm/sparsity/temperature.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace spikenm::sparsity {
namespace {

constexpr uint64_t kMaxClasses = 4096;

struct PatternClassOptions {
  bool exactly = false;  // only patterns with n ones
  double tau_max = 1, tau_min = 0.1;
  double logit_std = 0.01, logit_lr = 1e-3, logit_eps = 1e-8;
  bool freeze_top = false;  // prune keeps the most probable pattern instead of the last drawn
};

uint64_t count_classes(const nm::NmPattern& pattern, bool exactly) {
  return exactly ? nm::binomial(pattern.m, pattern.n) : nm::count_at_most(pattern);
}

ops::Patterns list_patterns(const nm::NmPattern& pattern, bool exactly) {
  std::vector<nm::BlockBits> list = nm::enumerate_at_most(pattern);
  if (exactly)
    std::erase_if(list, [&](nm::BlockBits bits) { return std::popcount(bits) != pattern.n; });
  return std::make_shared<const std::vector<nm::BlockBits>>(std::move(list));
}

// [n_patterns, n] uint8: the positions of the ones of every pattern. If there are fewer than n, the
// last is repeated.
Tensor positions_of(const std::vector<nm::BlockBits>& patterns, int n) {
  Tensor table = at::empty({static_cast<int64_t>(patterns.size()), n}, at::kByte);
  uint8_t* out = table.mutable_data_ptr<uint8_t>();
  for (nm::BlockBits bits : patterns)
    for (int k = 0; k < n; ++k) {
      *out++ = static_cast<uint8_t>(std::countr_zero(bits));
      if (std::popcount(bits) > 1) bits &= bits - 1;
    }
  return table;
}

class PatternClass : public Method {
 public:
  PatternClass(std::vector<MaskableLayer> layers, const PatternClassOptions& options, uint64_t seed)
      : Method(std::move(layers)), options_(options), seed_(seed) {
    for (const MaskableLayer& layer : layers_) {
      State& state = states_.emplace_back();
      state.patterns = list_patterns(layer.pattern, options_.exactly);
      state.positions = positions_of(*state.patterns, layer.pattern.n);
      state.logits = make_logits(layer, static_cast<int64_t>(state.patterns->size()),
                                 options_.logit_std, seed);
    }
    begin_step({});  // a mask exists before the first step
    statistics_ = {};
  }

  void begin_step(const StepInfo& info) override {
    const double tau = temperature(options_.tau_max, options_.tau_min, info.progress());
    statistics_.tau += tau;
    ++statistics_.steps;

    for (const MaskableLayer& layer : layers_) {
      State& state = states_[layer.id];
      auto draw = std::make_shared<ops::PatternDraw>(ops::PatternDraw{
          .layout = layer.layout,
          .patterns = state.patterns,
          .seed = seed_,
          .stream = random_stream(RandomUse::kMaskDraw, static_cast<uint32_t>(layer.id)),
          .step = static_cast<uint32_t>(info.step),
          .tau = tau});

      const ops::BlockMask mask = ops::mask_of(
          layer.layout, drawn_positions(state, *draw, /*noise=*/true), layer.synapse->weight);
      draw->keep = mask.keep;
      state.draws = mask.draws;
      state.draw = draw;
    }
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return ops::pattern_weight(weight, states_[id].logits, states_[id].draw);
  }

  std::vector<ParamGroup> param_groups() override {
    ParamGroup group{
        .tensors = {}, .lr = options_.logit_lr, .optimizer = {.eps = options_.logit_eps}};
    for (const State& state : states_) group.tensors.push_back(state.logits);
    return {group};
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> logits;
    for (const MaskableLayer& layer : layers_)
      logits.push_back({layer.synapse->name + ".logits", states_[layer.id].logits});
    return logits;
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    const State& state = states_[id];
    return mask_from_draws(layers_[id], options_.freeze_top
                                            ? drawn_positions(state, *state.draw, /*noise=*/false)
                                            : state.draws);
  }

  Json take_statistics() override {
    const auto seen = std::exchange(statistics_, {});
    std::vector<Tensor> logits;
    for (const State& state : states_) logits.push_back(state.logits);
    return {{"tau", seen.tau / static_cast<double>(std::max<int64_t>(1, seen.steps))},
            {"logit_entropy", logit_entropy(logits)}};
  }

 protected:
  // A step draws anew; the draws are what prune may freeze before the next one.
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("tau_sum", statistics_.tau);
    visitor.value("steps_seen", statistics_.steps);
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      visitor.tensor("logits", states_[layer.id].logits);
      visit_positions(visitor, layer, states_[layer.id].draws);
    }
  }

 private:
  struct State {
    ops::Patterns patterns;
    Tensor positions;  // [n_patterns, n]
    Tensor logits;     // [n_blocks, n_patterns]
    Tensor draws;      // [n_blocks, n], of the current step
    std::shared_ptr<const ops::PatternDraw> draw;
  };

  // [n_blocks, n] on the weight's device.
  static Tensor drawn_positions(const State& state, const ops::PatternDraw& draw, bool noise) {
    const Tensor chosen = ops::draw_patterns(draw, state.logits, noise);
    return state.positions.index_select(0, chosen).to(state.logits.device());
  }

  PatternClassOptions options_;
  uint64_t seed_;
  std::vector<State> states_;
  struct {
    double tau = 0;
    int64_t steps = 0;
  } statistics_;
};

PatternClassOptions read_options(const Config& config) {
  PatternClassOptions o;
  o.exactly = pattern_class_key::kDraws.read(config) == 1;
  read_temperatures(config, kTauMin, o.tau_max, o.tau_min);
  o.logit_std = pattern_class_key::kLogitStd.read(config, o.logit_std);
  o.logit_lr = pattern_class_key::kLogitLr.read(config, o.logit_lr);
  o.logit_eps = pattern_class_key::kLogitEps.read(config, o.logit_eps);
  o.freeze_top = pattern_class_key::kFreeze.read(config) == 1;
  return o;
}

}  // namespace

std::unique_ptr<Method> make_pattern_class(nn::Network& network, const Config& config,
                                           uint64_t seed) {
  const PatternClassOptions options = read_options(config);
  auto layers = find_maskable_layers(network, config);
  for (const MaskableLayer& layer : layers) {
    const uint64_t classes = count_classes(layer.pattern, options.exactly);
    SPIKENM_CHECK(classes <= kMaxClasses,
                  "{}: pattern {} of {} has {} masks to choose from, more than the {} that "
                  "pattern-class holds a logit for; use spikenm, which needs {} a block",
                  config.full_key("pattern"), layer.pattern.text(), layer.synapse->name, classes,
                  kMaxClasses, layer.pattern.m);
  }
  return std::make_unique<PatternClass>(std::move(layers), options, seed);
}

}  // namespace spikenm::sparsity
