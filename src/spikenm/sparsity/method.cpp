#include "spikenm/sparsity/method.h"

#include "spikenm/core/text.h"

#include <algorithm>

namespace spikenm::sparsity {

std::vector<std::string> Method::doubts(int64_t search_steps) const {
  if (search_steps > 0 || layers_.empty()) return {};
  return {"the method has no search, so prune freezes a mask that no step has trained"};
}

void Method::make_optimizers() {
  for (const ParamGroup& group : param_groups())
    optimizers_.push_back({.optimizer = nn::Optimizer(group.tensors, group.optimizer),
                           .lr = group.lr,
                           .follows_schedule = group.follows_schedule});
}

void Method::step_parameters(double factor, const Tensor& overflow) {
  if (optimizers_.empty()) make_optimizers();
  for (OwnOptimizer& own : optimizers_)
    own.optimizer.step(own.follows_schedule ? own.lr * factor : own.lr, overflow);
}

void Method::visit_state(nn::StateVisitor& visitor) {
  visit_own_state(visitor);

  bool has_stepped = !optimizers_.empty();
  visitor.value("has_stepped", has_stepped);
  if (has_stepped && optimizers_.empty()) make_optimizers();
  for (size_t i = 0; i < optimizers_.size(); ++i) {
    const nn::StateVisitor::Scope scope(visitor, fmt::format("optimizer.{}", i));
    optimizers_[i].optimizer.visit_state(visitor);
  }
}

std::string Method::pattern_text() const {
  std::vector<std::string> texts;
  for (const MaskableLayer& layer : layers_) {
    const std::string text = layer.rule_text();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts.empty() ? "dense" : join(texts, " ");
}

}  // namespace spikenm::sparsity
