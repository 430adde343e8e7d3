#include "spikenm/sparsity/methods/gradual.h"

#include "spikenm/sparsity/methods/gradual_keys.h"
#include "spikenm/sparsity/positions.h"
#include "spikenm/sparsity/temperature.h"
#include "spikenm/sparsity/unmasked_gradient.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::sparsity {

GradualOptions read_gradual_options(const Config& config, double until) {
  return {.until = until,
          .mask_every = read_interval(config, gradual_key::kMaskEvery),
          .dense_weight_grad = gradual_key::kWeightGrad.read(config) == 1};
}

Gradual::Gradual(std::vector<MaskableLayer> layers, const GradualOptions& options)
    : Method(std::move(layers)), options_(options), masks_(layers_.size()) {
  choose({});  // a mask exists before the first step
}

void Gradual::begin_step(const StepInfo& info) {
  if (info.step % options_.mask_every.steps(info.steps) == 0) choose(info);
}

void Gradual::choose(const StepInfo& info) {
  for (const MaskableLayer& layer : layers_)
    masks_[layer.id] = ops::mask_of(layer.layout, largest_positions(layer, kept_at(layer, info)),
                                    layer.synapse->weight);
}

Tensor Gradual::effective_weight(size_t id, const Tensor& weight) {
  const Tensor& keep = masks_[id].keep;
  return options_.dense_weight_grad ? straight_through(weight, keep) : weight * keep;
}

// Positions are ordered, largest first: while more than n are kept, the first n are a valid mask.
Tensor Gradual::largest(size_t id) const {
  return masks_[id].draws.narrow(1, 0, layers_[id].pattern.n);
}

nm::Mask Gradual::harden(size_t id) const {
  return mask_from_draws(layers_[id], largest(id));
}

std::vector<std::string> Gradual::doubts(int64_t search_steps) const {
  if (search_steps == 0) return Method::doubts(search_steps);
  const int64_t every = options_.mask_every.steps(search_steps);
  const StepInfo last{.step = (search_steps - 1) / every * every, .steps = search_steps};
  for (const MaskableLayer& layer : layers_) {
    const int kept = kept_at(layer, last);
    if (kept == layer.pattern.n || layer.layout.n_blocks == 0) continue;
    return {
        fmt::format("{}: found {}, so in a search of {} steps the last choice, at step {}, "
                    "keeps {} of {} weights in {}, and prune drops the rest at once",
                    options_.mask_every.key, options_.mask_every.text(), search_steps, last.step,
                    kept, layer.pattern.m, layer.synapse->name)};
  }
  return {};
}

void Gradual::visit_own_state(nn::StateVisitor& visitor) {
  for (const MaskableLayer& layer : layers_) {
    const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
    ops::BlockMask& mask = masks_[layer.id];
    visit_positions(visitor, layer, mask.draws);
    if (visitor.loads()) mask = ops::mask_of(layer.layout, mask.draws, layer.synapse->weight);
  }
}

// The number of weights that a block keeps if the mask is chosen now.
int Gradual::kept_at(const MaskableLayer& layer, const StepInfo& info) const {
  const double progress = std::min(1.0, info.progress() / options_.until);
  return annealed_draws(layer.pattern.m, layer.pattern.n, progress);
}

std::unique_ptr<Method> make_gradual(nn::Network& network, const Config& config, uint64_t) {
  const GradualOptions options = read_gradual_options(config, gradual_key::kUntil.read(config));
  return std::make_unique<Gradual>(find_maskable_layers(network, config), options);
}

}  // namespace spikenm::sparsity
