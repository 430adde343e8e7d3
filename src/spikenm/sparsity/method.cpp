#include "spikenm/sparsity/method.h"

#include "spikenm/core/text.h"
#include "spikenm/sparsity/neuron_pruning.h"

#include <algorithm>

namespace spikenm::sparsity {
namespace {

class LayerHook : public nn::WeightHook {
 public:
  LayerHook(Method& method, size_t layer) : method_(method), layer_(layer) {}
  Tensor effective(const Tensor& weight) override {
    return method_.effective_weight(layer_, weight);
  }
  std::shared_ptr<ops::CreditSink> credit() override { return method_.credit(layer_); }

 private:
  Method& method_;
  size_t layer_;
};

class NeuronHook : public nn::SpikeHook {
 public:
  NeuronHook(Method& method, size_t neurons) : method_(method), neurons_(neurons) {}
  Tensor effective(const Tensor& spikes) override {
    return method_.effective_spikes(neurons_, spikes);
  }

 private:
  Method& method_;
  size_t neurons_;
};

}  // namespace

std::vector<std::string> Method::doubts(int64_t search_steps) const {
  if (search_steps > 0 || layers_.empty()) return {};
  return {"the method has no search, so prune freezes a mask that no step has trained"};
}

void Method::make_optimizers() {
  for (const ParamGroup& group : param_groups()) {
    const nn::OptimizerOptions adam{.kind = nn::OptimizerKind::kAdam, .eps = group.eps};
    optimizers_.push_back({.optimizer = nn::Optimizer(group.tensors, adam),
                           .lr = group.lr,
                           .follows_schedule = group.follows_schedule});
  }
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
    const std::string text = layer.pattern.text();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts.empty() ? "dense" : join(texts, " ");
}

std::unique_ptr<Method> make_method(const std::string& name, nn::Network& network,
                                    const Config& config, uint64_t seed) {
  config.selects("name");
  return with_neuron_pruning(methods().find(name)(network, config, seed), network, config);
}

MethodHooks::MethodHooks(Method& method) : method_(method) {
  for (const MaskableLayer& layer : method.layers()) {
    hooks_.push_back(std::make_unique<LayerHook>(method, layer.id));
    layer.synapse->hook = hooks_.back().get();
  }
  for (const MaskableNeurons& neurons : method.neurons()) {
    spike_hooks_.push_back(std::make_unique<NeuronHook>(method, neurons.id));
    neurons.neuron->hook = spike_hooks_.back().get();
  }
}

MethodHooks::~MethodHooks() {
  for (const MaskableLayer& layer : method_.layers()) layer.synapse->hook = nullptr;
  for (const MaskableNeurons& neurons : method_.neurons()) neurons.neuron->hook = nullptr;
}

}  // namespace spikenm::sparsity
