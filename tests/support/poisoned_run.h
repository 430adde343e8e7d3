// A run whose steps go wrong for a while.
#pragma once

#include "support/tiny_run.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace spikenm::test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A NaN in a norm's scale before step `from`, and the old values back before step `to`. Running
// statistics do not see it.
struct PoisonedRun : TinyRun {
  PoisonedRun(const std::vector<std::string>& overrides, int64_t from, int64_t to)
      : TinyRun(overrides, {.between_steps =
                                [this, from, to] {
                                  if (trainer.steps() == from) scale()[0] = kNan;
                                  if (trainer.steps() == to) scale().copy_(before);
                                }}),
        before(scale().clone()) {}

  at::Tensor scale() { return recipe.model.network->norms()[0].state.gamma.detach(); }

  at::Tensor before;
};

// A NaN in the first layer's weights before step `from`, and the old values back before step `to`:
// what its norm measures is not finite.
struct PoisonedWeights : TinyRun {
  PoisonedWeights(const std::vector<std::string>& overrides, int64_t from, int64_t to)
      : TinyRun(overrides, {.between_steps = [this, from, to] {
                  if (trainer.steps() == from) {
                    before = weight().clone();
                    weight().flatten()[0] = kNan;
                  }
                  if (trainer.steps() == to) weight().copy_(before);
                }}) {}

  at::Tensor weight() { return recipe.model.network->synapses()[0].weight.detach(); }

  at::Tensor before;
};

// A penalty on neurons that no float holds, from step `from` to step `to`: the gradients of their
// gates leave the finite numbers, those of the weights and the loss do not.
struct OverpulledRun : TinyRun {
  OverpulledRun(std::vector<std::string> overrides, int64_t from, int64_t to)
      : TinyRun(with_neuron_masks(std::move(overrides)), {.between_steps = [this, from, to] {
                  if (trainer.steps() == from) {
                    set_penalty(1e300);
                    before = trained();
                  }
                  if (trainer.steps() == to) {
                    set_penalty(0);
                    after = trained();
                  }
                }}) {}

  static std::vector<std::string> with_neuron_masks(std::vector<std::string> overrides) {
    for (const char* more : {"model.name=small_conv", "model.width=4", "model.T=2",
                             "method.granularity=weight+neuron"})
      overrides.emplace_back(more);
    return overrides;
  }

  void set_penalty(double value) {
    struct Set : nn::StateVisitor {
      void on_tensor(const std::string&, const at::Tensor&) override {}
      void on_value(const std::string& name, Json& json) override {
        if (name.ends_with("lambda_neuron")) json = penalty;
      }
      double penalty = 0;
    } set;
    set.penalty = value;
    recipe.model.method->visit_state(set);
  }

  // Copies of the weights and of the gates.
  [[nodiscard]] std::vector<nn::NamedTensor> trained() const {
    std::vector<nn::NamedTensor> tensors = recipe.model.network->parameters();
    for (const nn::NamedTensor& t : recipe.model.method->kept_tensors()) tensors.push_back(t);
    for (nn::NamedTensor& t : tensors) t.tensor = t.tensor.detach().clone();
    return tensors;
  }

  std::vector<nn::NamedTensor> before, after;  // steps `from` to `to`
};

// A loss that is NaN in some steps, counted from 0.
inline train::Recipe with_bad_losses(train::Recipe recipe, std::vector<int64_t> steps) {
  const auto good = recipe.loss.value;
  recipe.loss.value = [good, steps = std::move(steps), n = std::make_shared<int64_t>(0)](
                          const at::Tensor& scores, const at::Tensor& labels) {
    const bool bad =
        at::GradMode::is_enabled() && std::find(steps.begin(), steps.end(), (*n)++) != steps.end();
    return bad ? good(scores, labels) * kNan : good(scores, labels);
  };
  return recipe;
}

}  // namespace spikenm::test
