#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/interval.h"
#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/gradual_keys.h"
#include "spikenm/sparsity/positions.h"
#include "spikenm/sparsity/temperature.h"
#include "spikenm/sparsity/unmasked_gradient.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::sparsity {
namespace {

struct GradualOptions {
  double until = 0.9;  // progress from which blocks keep n
  Interval mask_every;
  bool dense_weight_grad = false;
};

// Dense at first. The number of weights that a block keeps, chosen by |w|, falls from m to n with
// the cube of the remaining search [Zhu17]. A weight outside the mask keeps its value and returns
// if it is among the largest at the next choice. With a masked gradient only momentum and decay
// change it meanwhile; a dense gradient trains it.
class Gradual : public Method {
 public:
  Gradual(std::vector<MaskableLayer> layers, const GradualOptions& options)
      : Method(std::move(layers)), options_(options) {
    masks_.resize(layers_.size());
    begin_step({});  // a mask exists before the first step
  }

  void begin_step(const StepInfo& info) override {
    if (info.step % options_.mask_every.steps(info.steps) != 0) return;
    for (const MaskableLayer& layer : layers_)
      masks_[layer.id] = ops::mask_of(layer.layout, largest_positions(layer, kept_at(layer, info)),
                                      layer.synapse->weight);
  }

  Tensor effective_weight(size_t id, const Tensor& weight) override {
    const Tensor& keep = masks_[id].keep;
    return options_.dense_weight_grad ? straight_through(weight, keep) : weight * keep;
  }

  // Positions are ordered, largest first: while more than n are kept, the first n are a valid mask.
  [[nodiscard]] nm::Mask harden(size_t id) const override {
    return mask_from_draws(layers_[id], masks_[id].draws.narrow(1, 0, layers_[id].pattern.n));
  }

  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override {
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

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override {
    for (const MaskableLayer& layer : layers_) {
      const nn::StateVisitor::Scope scope(visitor, layer.synapse->name);
      ops::BlockMask& mask = masks_[layer.id];
      visit_positions(visitor, layer, mask.draws);
      if (visitor.loads()) mask = ops::mask_of(layer.layout, mask.draws, layer.synapse->weight);
    }
  }

 private:
  // The number of weights that a block keeps if the mask is chosen now.
  [[nodiscard]] int kept_at(const MaskableLayer& layer, const StepInfo& info) const {
    const double progress = std::min(1.0, info.progress() / options_.until);
    return annealed_draws(layer.pattern.m, layer.pattern.n, progress);
  }

  GradualOptions options_;
  std::vector<ops::BlockMask> masks_;  // the current mask of each layer
};

}  // namespace

std::unique_ptr<Method> make_gradual(nn::Network& network, const Config& config, uint64_t) {
  GradualOptions o;
  o.until = gradual_key::kUntil.read(config, o.until);
  o.mask_every = read_interval(config, gradual_key::kMaskEvery);
  o.dense_weight_grad = gradual_key::kWeightGrad.read(config) == 1;
  return std::make_unique<Gradual>(find_maskable_layers(network, config), o);
}

}  // namespace spikenm::sparsity
