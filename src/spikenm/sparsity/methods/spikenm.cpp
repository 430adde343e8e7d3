// The paper's method. Every block has m logits; n Gumbel draws, OR-ed together, are its mask. The
// straight-through gradient trains the logits together with the weights, and distillation pulls
// them towards the positions through which gradient flowed over time.
#include "spikenm/sparsity/methods/spikenm_options.h"

#include "spikenm/core/random.h"
#include "spikenm/ops/nm_sample.h"
#include "spikenm/ops/stream.h"
#include "spikenm/sparsity/mask_logits.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/positions.h"
#include "spikenm/sparsity/temperature.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace spikenm::sparsity {
namespace {

class Spikenm : public Method {
 public:
  Spikenm(std::vector<MaskableLayer> layers, const SpikenmOptions& options, uint64_t seed)
      : Method(std::move(layers)), options_(options), seed_(seed) {
    for (const MaskableLayer& layer : layers_) {
      State& state = states_.emplace_back();
      state.logits = make_logits(layer, layer.layout.m, options_.logit_std, seed);
      ops::DistillationSums& sums = state.distillation.sums;
      for (Tensor* sum : {&state.task_norm, &sums.kl, &sums.squared_norm})
        *sum = ops::running_sum(layer.layout.n_blocks, state.logits);
      if (layer.layout.n_blocks > 0 && options_.distills() && !options_.eid.target.is_uniform()) {
        state.sink = std::make_shared<ops::CreditSink>();
        state.sink->kind = options_.credit;
      }
      n_blocks_ += layer.layout.n_blocks;
    }

    for (State& state : states_) {
      state.distillation.target = options_.eid.target;
      state.distillation.pi_has_prior = options_.eid.pi_has_prior;
      state.distillation.scale = options_.eid.scale(n_blocks_);
      state.distillation.credit = state.sink;
    }

    begin_step({});  // a mask exists before the first step
    statistics_ = {};
  }

  [[nodiscard]] double search_share() const override { return options_.search_share; }

  void begin_step(const StepInfo& info) override {
    const double progress = info.progress();
    const int64_t redraw_every = options_.redraw_every.steps(info.steps);
    const auto number = static_cast<uint32_t>(info.step / redraw_every);
    statistics_.tau += temperature(options_.tau_max, options_.tau_min, progress);
    statistics_.noise += noise_at(progress);
    ++statistics_.steps;

    const auto set_mask = [&](int64_t id) {
      const MaskableLayer& layer = layers_[static_cast<size_t>(id)];
      State& state = states_[layer.id];
      const bool redraw = state.draw == nullptr || info.step % redraw_every == 0;
      auto draw = redraw ? std::make_shared<ops::MaskDraw>(new_draw(layer, progress, number))
                         : std::make_shared<ops::MaskDraw>(*state.draw);
      draw->softness.tau = temperature(options_.tau_max, options_.tau_min, progress);
      if (state.draw != nullptr) {  // use the same memory in every step
        draw->mask = state.draw->mask;
        draw->inputs = state.draw->inputs;
      }
      if (redraw) ops::draw_mask(*draw, state.logits, layer.synapse->weight);
      ops::set_step_values(*draw, state.logits);
      state.draw = draw;
    };

    if (states_.empty()) return;
    const bool regrows =
        options_.regrow_from_zero && info.step % redraw_every == 0 && info.clear_moments != nullptr;
    const std::vector<Tensor> earlier = regrows ? masks() : std::vector<Tensor>();
    ops::run_side_by_side(states_[0].logits.device(), static_cast<int64_t>(layers_.size()),
                          set_mask);
    if (regrows) start_from_zero(earlier, info.clear_moments);
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    if (layers_[id].layout.n_blocks == 0) return weight;
    return ops::masked_weight(weight, states_[id].logits, states_[id].draw);
  }

  std::shared_ptr<ops::CreditSink> credit(size_t id) override { return states_[id].sink; }

  // Eq. (22): the search minimises task + lambda L_EID over weights and logits together.
  void after_backward(const StepInfo&) override {
    for (const MaskableLayer& layer : layers_) {
      State& state = states_[layer.id];
      const bool is_done = state.draw->additions.distillation.has_value();
      if (layer.layout.n_blocks == 0 || !options_.distills() || is_done) continue;
      ops::distill(state.distillation, state.draw->rule, state.logits, layer.synapse->weight);
    }
  }

  std::vector<ParamGroup> param_groups() override {
    ParamGroup group{.tensors = {},
                     .lr = options_.logit_lr,
                     .optimizer = {.eps = options_.logit_eps},
                     .follows_schedule = options_.logits_follow_schedule};
    for (const State& state : states_)
      if (state.logits.numel() > 0) group.tensors.push_back(state.logits);
    return {group};
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> logits;
    for (const MaskableLayer& layer : layers_)
      logits.push_back({layer.synapse->name + ".logits", states_[layer.id].logits});
    return logits;
  }

  // A different number of draws is different work.
  [[nodiscard]] std::optional<int64_t> recording() const override {
    int64_t draws = 0;
    for (const State& state : states_) draws += state.draw->rule.n_draws;
    return draws;
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    const at::NoGradGuard no_grad;
    const MaskableLayer& layer = layers_[id];
    const State& state = states_[id];
    switch (options_.freeze) {
      case Freeze::kTopN:
        return mask_from_draws(layer, ops::top_positions(state.draw->rule, layer.pattern.n,
                                                         state.logits, layer.synapse->weight));
      case Freeze::kResample: {
        ops::DrawRule rule = state.draw->rule;
        rule.n_draws = layer.pattern.n;
        ops::DrawAddress address = state.draw->address;
        address.step = UINT32_MAX - options_.freeze_draw;  // no training step uses this address
        return mask_from_draws(layer, ops::draw_positions(rule, address, state.draw->softness.noise,
                                                          state.logits, layer.synapse->weight));
      }
      case Freeze::kLast:
        break;
    }

    // While the number of draws is still falling, the first n of them are a valid mask.
    return mask_from_draws(layer, state.draw->mask.draws.narrow(1, 0, layer.pattern.n));
  }

  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override {
    if (search_steps <= 1 || options_.redraw_every.steps(search_steps) < search_steps)
      return Method::doubts(search_steps);
    return {fmt::format("{}: found {}, and the search has {} steps, so the mask is drawn once",
                        options_.redraw_every.key, options_.redraw_every.text(), search_steps)};
  }

  Json take_statistics() override {
    const double n = static_cast<double>(std::max<int64_t>(1, statistics_.steps));
    double task = 0, eid = 0, kl = 0;
    for (State& state : states_) {
      task += take(state.task_norm);
      eid += take(state.distillation.sums.squared_norm);
      kl += take(state.distillation.sums.kl);
    }

    Json json = {{"tau", statistics_.tau / n},
                 {"noise", statistics_.noise / n},
                 {"logit_grad_task", std::sqrt(task / n)}};
    std::vector<Tensor> logits;
    for (const State& state : states_) logits.push_back(state.logits);
    json["logit_entropy"] = logit_entropy(logits);
    if (options_.distills()) {
      json["logit_grad_eid"] = std::sqrt(eid / n);
      json["eid_kl"] = kl / n / static_cast<double>(n_blocks_);
    }

    statistics_ = {};
    return json;
  }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("tau_sum", statistics_.tau);
    visitor.value("noise_sum", statistics_.noise);
    visitor.value("steps_seen", statistics_.steps);
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      State& state = states_[layer.id];
      visitor.tensor("logits", state.logits);
      visitor.tensor("task_norm", state.task_norm);
      visitor.tensor("eid_kl", state.distillation.sums.kl);
      visitor.tensor("eid_norm", state.distillation.sums.squared_norm);
      visit_draw(visitor, layer, state);
    }
  }

 private:
  struct State {
    Tensor logits;                              // [n_blocks, m]
    std::shared_ptr<const ops::MaskDraw> draw;  // of the current step
    std::shared_ptr<ops::CreditSink> sink;      // null if no credit is wanted
    Tensor task_norm;                           // running sum since the last statistics
    ops::Distillation distillation;             // its sums, too, restart with the statistics
  };

  [[nodiscard]] ops::MaskDraw new_draw(const MaskableLayer& layer, double progress,
                                       uint32_t number) const {
    const int n = layer.pattern.n;
    const int start = std::min<int>(static_cast<int>(options_.draws_start), layer.pattern.m);
    const State& state = states_[layer.id];
    ops::MaskDraw draw;
    draw.rule = {.layout = layer.layout,
                 .n_draws = start > n ? annealed_draws(start, n, progress) : n,
                 .replace = options_.replace,
                 .kappa = options_.prior_kappa,
                 .or_gradient = options_.or_gradient,
                 .dense_weight_grad = options_.dense_weight_grad};
    draw.address = {.seed = seed_,
                    .stream = random_stream(RandomUse::kMaskDraw, static_cast<uint32_t>(layer.id)),
                    .step = number};

    draw.softness.noise = noise_at(progress);
    draw.compute = layer.synapse->compute;
    draw.additions.task_norm = state.task_norm;
    if (options_.distills() && ops::distills_in_backward(options_.eid.target, state.logits))
      draw.additions.distillation = state.distillation;
    return draw;
  }

  [[nodiscard]] double noise_at(double progress) const {
    if (options_.noise_from == options_.noise_to) return options_.noise_from;
    return geometric(options_.noise_from, options_.noise_to, progress);
  }

  // The mask of each layer in its weight's shape.
  [[nodiscard]] std::vector<Tensor> masks() const {
    std::vector<Tensor> all;
    for (const MaskableLayer& layer : layers_)
      all.push_back(
          ops::mask_of(layer.layout, states_[layer.id].draw->mask.draws, layer.synapse->weight)
              .keep);
    return all;
  }

  // Weights that were not in the earlier mask and are now lose their value and their moments.
  void start_from_zero(const std::vector<Tensor>& earlier, const ClearMoments& clear_moments) {
    const at::NoGradGuard no_grad;
    const std::vector<Tensor> now = masks();
    for (const MaskableLayer& layer : layers_) {
      const Tensor& weight = layer.synapse->weight;
      const Tensor untouched = 1 - now[layer.id] * (1 - earlier[layer.id]);
      weight.mul_(untouched);
      clear_moments(weight, untouched);
    }
  }

  // A mask that is held was drawn from weights and logits that are gone.
  static void visit_draw(nn::StateVisitor& visitor, const MaskableLayer& layer, State& state) {
    auto draw = std::make_shared<ops::MaskDraw>(*state.draw);
    Tensor draws = draw->mask.draws;
    visitor.value("draw_number", draw->address.step);
    visitor.value("noise", draw->softness.noise);
    visit_positions(visitor, layer, draws);
    if (!visitor.loads()) return;

    draw->rule.n_draws = static_cast<int32_t>(draws.size(1));
    ops::restore_mask(*draw, draws, state.logits, layer.synapse->weight);
    state.draw = draw;
  }

  // Returns the value of a running sum and resets the sum to zero.
  static double take(Tensor& sum) {
    const double value = sum.sum(at::kDouble).item<double>();
    sum.zero_();
    return value;
  }

  SpikenmOptions options_;
  uint64_t seed_;
  std::vector<State> states_;
  int64_t n_blocks_ = 0;  // B of Eq. (21): the blocks of the network
  struct {
    double tau = 0, noise = 0;
    int64_t steps = 0;
  } statistics_;
};

}  // namespace

std::unique_ptr<Method> make_spikenm(nn::Network& network, const Config& config, uint64_t seed) {
  const SpikenmOptions options = read_spikenm_options(config);
  auto layers = find_maskable_layers(network, config, options.axis);
  return std::make_unique<Spikenm>(std::move(layers), options, seed);
}

}  // namespace spikenm::sparsity
