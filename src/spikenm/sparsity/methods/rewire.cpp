#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/blocks.h"
#include "spikenm/sparsity/interval.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/rewire_keys.h"
#include "spikenm/sparsity/positions.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

namespace spikenm::sparsity {
namespace {

struct RewireOptions {
  Interval every;
  double fraction = 0.3;  // of a layer's blocks, at the start
  ops::CreditKind credit = ops::CreditKind::kNet;
  double credit_decay = 0.9;
};

// A random mask that is rewired at intervals [Evci20]: in the blocks whose smallest kept |w| is
// smallest, that weight is dropped, and the position with the largest running credit among those
// not kept grows from zero. The number of blocks that change falls by a half cosine from `fraction`
// to 0 over the search.
class Rewire : public Method {
 public:
  Rewire(std::vector<MaskableLayer> layers, const RewireOptions& options, uint64_t seed)
      : Method(std::move(layers)), options_(options) {
    for (const MaskableLayer& layer : layers_) {
      State& state = states_.emplace_back();
      state.mask = ops::mask_of(layer.layout, random_positions(layer, /*replace=*/false, seed),
                                layer.synapse->weight);
      state.sink = std::make_shared<ops::CreditSink>();
      state.sink->kind = options_.credit;
      state.credit = at::zeros_like(layer.synapse->weight);
    }
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    return weight * states_[id].mask.keep;
  }

  std::shared_ptr<ops::CreditSink> credit(size_t id) override { return states_[id].sink; }

  void after_backward(const StepInfo& info) override {
    const Tensor& overflow = info.scaling.overflow;
    for (State& state : states_) {
      // A skipped step has no credit: the running mean stays as it is.
      const Tensor credit = overflow.defined()
                                ? at::where(overflow.ne(0), state.credit, state.sink->credit)
                                : state.sink->credit;
      state.credit.mul_(options_.credit_decay).add_(credit, 1 - options_.credit_decay);
    }
  }

  void after_step(const StepInfo& info, const ClearMoments& clear_moments) override {
    const int64_t done = info.step + 1;
    if (done % options_.every.steps(info.steps) != 0) return;
    const double progress = static_cast<double>(done) / static_cast<double>(info.steps);
    const double share = options_.fraction / 2 * (1 + std::cos(std::numbers::pi * progress));
    for (const MaskableLayer& layer : layers_) {
      if (layer.pattern.n == layer.pattern.m) continue;  // no position is free to grow
      const auto n = std::lround(share * static_cast<double>(layer.layout.n_blocks));
      if (n > 0) rewire(layer, n, clear_moments);
      rewired_blocks_ += n;
    }
  }

  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_draws(layers_[id], states_[id].mask.draws);
  }

  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override {
    std::vector<nn::NamedTensor> credits;
    for (const MaskableLayer& layer : layers_)
      credits.push_back({layer.synapse->name + ".credit", states_[layer.id].credit});
    return credits;
  }

  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override {
    // The last step of a search changes nothing.
    if (search_steps > options_.every.steps(search_steps)) return {};
    if (search_steps == 0) return Method::doubts(search_steps);
    return {
        fmt::format("{}: found {}, and the search has {} steps, so the mask is never rewired "
                    "and stays the random one it starts from",
                    options_.every.key, options_.every.text(), search_steps)};
  }

  Json take_statistics() override {
    return {{"rewired_blocks", std::exchange(rewired_blocks_, 0)}};
  }

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    visitor.value("rewired_blocks", rewired_blocks_);
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      State& state = states_[layer.id];
      visitor.tensor("credit", state.credit);
      visit_positions(visitor, layer, state.mask.draws);
      if (visitor.loads())
        state.mask = ops::mask_of(layer.layout, state.mask.draws, layer.synapse->weight);
    }
  }

 private:
  struct State {
    ops::BlockMask mask;                    // draws are distinct
    std::shared_ptr<ops::CreditSink> sink;  // the credit of the last step
    Tensor credit;                          // running mean of it, in the weight's shape
  };

  // The position with the largest value in every block, the lowest of equals: [n_blocks, 1].
  static Tensor best_position(const MaskableLayer& layer, const Tensor& values) {
    return ops::top_positions({.layout = layer.layout}, 1, values, layer.synapse->weight)
        .to(at::kLong);
  }

  // Drops and grows one position in n_changes blocks.
  void rewire(const MaskableLayer& layer, int64_t n_changes, const ClearMoments& clear_moments) {
    const at::NoGradGuard no_grad;
    State& state = states_[layer.id];
    const Tensor& weight = layer.synapse->weight;
    const Tensor draws = state.mask.draws.to(at::kLong);         // [n_blocks, n]
    const Tensor size = block_sums(layer.layout, weight.abs()),  // [n_blocks, m]
        credit = block_sums(layer.layout, state.credit);

    const Tensor kept = at::zeros_like(size).scatter_(1, draws, 1).to(at::kBool);
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const Tensor dropped = best_position(layer, (-size).masked_fill(~kept, -kNever)),
                 grown = best_position(layer, credit.masked_fill(kept, -kNever));

    // A stable sort: of equal sizes the lowest block comes first.
    const Tensor smallest = size.gather(1, dropped).squeeze(1);
    const Tensor order = std::get<1>(smallest.sort(/*stable=*/std::optional<bool>(true), 0));
    const Tensor chosen = order.narrow(0, 0, n_changes);
    const Tensor changes =
        at::zeros_like(smallest, at::kBool).index_fill_(0, chosen, 1).unsqueeze(1);
    const Tensor rewired = at::where(changes.logical_and(draws.eq(dropped)), grown, draws);
    state.mask = ops::mask_of(layer.layout, rewired.to(at::kByte), weight);

    const Tensor moved = at::zeros_like(size).scatter_(1, dropped, 1).scatter_(1, grown, 1);
    const Tensor untouched = spread_blocks(layer.layout, 1 - moved * changes, weight);
    weight.mul_(untouched);
    clear_moments(weight, untouched);
  }

  RewireOptions options_;
  std::vector<State> states_;
  int64_t rewired_blocks_ = 0;
};

}  // namespace

std::unique_ptr<Method> make_rewire(nn::Network& network, const Config& config, uint64_t seed) {
  RewireOptions o;
  o.every = read_interval(config, rewire_key::kEvery);
  o.fraction = rewire_key::kFraction.read(config, o.fraction);
  o.credit =
      rewire_key::kCredit.read(config) == 0 ? ops::CreditKind::kTemporal : ops::CreditKind::kNet;
  o.credit_decay = rewire_key::kCreditDecay.read(config, o.credit_decay);
  if (o.fraction == 0)
    for (const char* key : {"every", "credit", "credit_decay"}) config.no_effect(key, {"fraction"});
  return std::make_unique<Rewire>(find_maskable_layers(network, config), o, seed);
}

}  // namespace spikenm::sparsity
