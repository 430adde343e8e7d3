#include "spikenm/sparsity/methods/rewire.h"

#include "spikenm/sparsity/blocks.h"
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

// The position with the largest value in every block, the lowest of equals: [n_blocks, 1].
Tensor best_position(const MaskableLayer& layer, const Tensor& values) {
  return ops::top_positions({.layout = layer.layout}, 1, values, layer.synapse->weight)
      .to(at::kLong);
}

}  // namespace

RewireOptions read_rewire_options(const Config& config) {
  RewireOptions o;
  o.every = read_interval(config, rewire_key::kEvery);
  o.fraction = rewire_key::kFraction.read(config, o.fraction);
  o.credit =
      rewire_key::kCredit.read(config) == 0 ? ops::CreditKind::kTemporal : ops::CreditKind::kNet;
  o.credit_decay = rewire_key::kCreditDecay.read(config, o.credit_decay);
  if (o.fraction == 0)
    for (const char* key : {"every", "credit", "credit_decay"}) config.no_effect(key, {"fraction"});
  return o;
}

Rewire::Rewire(std::vector<MaskableLayer> layers, const RewireOptions& options, uint64_t seed)
    : Method(std::move(layers)), options_(options), states_(layers_.size()) {
  for (const MaskableLayer& layer : layers_) {
    State& state = states_[layer.id];
    state.sink = std::make_shared<ops::CreditSink>();
    state.sink->kind = options_.credit;
    start_from(layer.id, random_positions(layer, /*replace=*/false, seed));
  }
}

void Rewire::start_from(size_t id, const Tensor& positions) {
  const Tensor& weight = layers_[id].synapse->weight;
  states_[id].mask = ops::mask_of(layers_[id].layout, positions, weight);
  states_[id].credit = at::zeros_like(weight);
}

Tensor Rewire::effective_weight(size_t id, const Tensor& weight) {
  return weight * states_[id].mask.keep;
}

// Whether the step is skipped is known after the optimisers alone.
void Rewire::after_backward(const StepInfo& info) {
  overflow_ = info.scaling.overflow;
}

void Rewire::after_step(const StepInfo& info, const ClearMoments& clear_moments) {
  rewire_every(options_.every.steps(info.steps), info, clear_moments);
}

void Rewire::add_credits() {
  for (State& state : states_) {
    Tensor credit = state.sink->credit;
    if (!credit.defined()) continue;
    // A skipped step has no credit: the running mean stays as it is.
    if (overflow_.defined()) credit = at::where(overflow_.ne(0), state.credit, credit);
    state.credit.mul_(options_.credit_decay).add_(credit, 1 - options_.credit_decay);
  }
}

void Rewire::rewire_every(int64_t every, const StepInfo& info, const ClearMoments& clear_moments) {
  add_credits();
  const int64_t done = info.step + 1;
  if (done % every != 0) return;
  const double progress = static_cast<double>(done) / static_cast<double>(info.steps);
  const double share = options_.fraction / 2 * (1 + std::cos(std::numbers::pi * progress));
  for (const MaskableLayer& layer : layers_) {
    if (layer.pattern.n == layer.pattern.m) continue;  // no position is free to grow
    const auto n = std::lround(share * static_cast<double>(layer.layout.n_blocks));
    if (n > 0) rewire(layer, n, clear_moments);
    rewired_blocks_ += n;
  }
}

nm::Mask Rewire::harden(size_t id) const {
  return mask_from_draws(layers_[id], states_[id].mask.draws);
}

std::vector<nn::NamedTensor> Rewire::kept_tensors() const {
  std::vector<nn::NamedTensor> credits;
  for (const MaskableLayer& layer : layers_)
    credits.push_back({layer.synapse->name + ".credit", states_[layer.id].credit});
  return credits;
}

std::vector<std::string> Rewire::doubts(int64_t search_steps) const {
  // The last step of a search changes nothing.
  if (search_steps > options_.every.steps(search_steps)) return {};
  if (search_steps == 0) return Method::doubts(search_steps);
  return {
      fmt::format("{}: found {}, and the search has {} steps, so the mask is never rewired "
                  "and stays the random one it starts from",
                  options_.every.key, options_.every.text(), search_steps)};
}

Json Rewire::take_statistics() {
  return {{"rewired_blocks", std::exchange(rewired_blocks_, 0)}};
}

void Rewire::visit_own_state(nn::StateVisitor& visitor) {
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

// Drops and grows one position in n_changes blocks.
void Rewire::rewire(const MaskableLayer& layer, int64_t n_changes,
                    const ClearMoments& clear_moments) {
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
  Tensor changes = at::zeros_like(smallest, at::kBool).index_fill_(0, chosen, 1).unsqueeze(1);
  if (overflow_.defined()) changes = changes.logical_and(overflow_.eq(0));  // moves nothing
  const Tensor rewired = at::where(changes.logical_and(draws.eq(dropped)), grown, draws);
  state.mask = ops::mask_of(layer.layout, rewired.to(at::kByte), weight);

  const Tensor moved = at::zeros_like(size).scatter_(1, dropped, 1).scatter_(1, grown, 1);
  const Tensor untouched = spread_blocks(layer.layout, 1 - moved * changes, weight);
  weight.mul_(untouched);
  clear_moments(weight, untouched);
}

std::unique_ptr<Method> make_rewire(nn::Network& network, const Config& config, uint64_t seed) {
  const RewireOptions options = read_rewire_options(config);
  return std::make_unique<Rewire>(find_maskable_layers(network, config), options, seed);
}

}  // namespace spikenm::sparsity
