#include "spikenm/sparsity/pruning.h"

#include "spikenm/sparsity/neuron_pruning.h"

namespace spikenm::sparsity {
namespace {

class LayerHook : public nn::WeightHook {
 public:
  LayerHook(Pruning& pruning, size_t layer) : pruning_(pruning), layer_(layer) {}
  Tensor effective(const Tensor& weight) override {
    return pruning_.effective_weight(layer_, weight);
  }
  std::shared_ptr<ops::CreditSink> credit() override { return pruning_.credit(layer_); }

 private:
  Pruning& pruning_;
  size_t layer_;
};

class NeuronHook : public nn::SpikeHook {
 public:
  NeuronHook(Pruning& pruning, size_t neurons) : pruning_(pruning), neurons_(neurons) {}
  Tensor effective(const Tensor& spikes) override {
    return pruning_.effective_spikes(neurons_, spikes);
  }
  [[nodiscard]] bool changes() const override { return pruning_.changes_spikes(); }
  [[nodiscard]] Tensor activity() const override { return pruning_.activity(neurons_); }

 private:
  Pruning& pruning_;
  size_t neurons_;
};

template <class List>
void append(List& list, const List& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

Pruning::Pruning(std::unique_ptr<Method> weights, std::unique_ptr<Method> neurons)
    : weights_(std::move(weights)), neurons_(std::move(neurons)) {
  all_.push_back(weights_.get());
  if (!neurons_) return;
  SPIKENM_ASSERT(weights_->neurons().empty() && neurons_->layers().empty());
  all_.push_back(neurons_.get());
}

void Pruning::begin_step(const StepInfo& info) {
  for (Method* const method : all_) method->begin_step(info);
}

void Pruning::after_backward(const StepInfo& info) {
  for (Method* const method : all_) method->after_backward(info);
}

std::vector<Method*> Pruning::acting_in_finetune() const {
  std::vector<Method*> acting;
  for (Method* const method : all_)
    if (method->acts_in_finetune()) acting.push_back(method);
  return acting;
}

void Pruning::after_step(const StepInfo& info, const ClearMoments& clear_moments) {
  for (Method* const method : all_) method->after_step(info, clear_moments);
}

std::vector<ParamGroup> Pruning::param_groups() {
  std::vector<ParamGroup> groups;
  for (Method* const method : all_) append(groups, method->param_groups());
  return groups;
}

void Pruning::step_parameters(double factor, const Tensor& overflow) {
  for (Method* const method : all_) method->step_parameters(factor, overflow);
}

// What is recorded of two methods changes when either does.
std::optional<int64_t> Pruning::recording() const {
  const std::optional<int64_t> version = weights_->recording();
  if (!neurons_ || !version) return version;
  const std::optional<int64_t> beside = neurons_->recording();
  if (!beside) return std::nullopt;
  return *version * (int64_t{1} << 32) + *beside;
}

std::vector<nn::NamedTensor> Pruning::kept_tensors() const {
  std::vector<nn::NamedTensor> tensors;
  for (const Method* const method : all_) append(tensors, method->kept_tensors());
  return tensors;
}

void Pruning::visit_state(nn::StateVisitor& visitor) {
  if (!neurons_) return weights_->visit_state(visitor);
  {
    const nn::StateVisitor::Scope scope(visitor, "weights");
    weights_->visit_state(visitor);
  }
  const nn::StateVisitor::Scope scope(visitor, "neurons");
  neurons_->visit_state(visitor);
}

std::vector<std::string> Pruning::doubts(int64_t search_steps) const {
  std::vector<std::string> doubts;
  for (const Method* const method : all_) append(doubts, method->doubts(search_steps));
  return doubts;
}

Json Pruning::take_statistics() {
  Json json = Json::object();
  for (Method* const method : all_) json.update(method->take_statistics());
  return json;
}

Targets Pruning::targets() const {
  Targets targets = weights_->targets();
  if (neurons_) targets.connections = neurons_->targets().connections;
  return targets;
}

Json Pruning::outcome() const {
  Json json = Json::object();
  for (const Method* const method : all_) json.update(method->outcome());
  return json;
}

Tensor Pruning::effective_weight(size_t layer, const Tensor& weight) {
  return weights_->effective_weight(layer, weight);
}

Tensor Pruning::effective_spikes(size_t neurons, const Tensor& spikes) {
  return on_neurons().effective_spikes(neurons, spikes);
}

Tensor Pruning::harden_neurons(size_t neurons) const {
  return on_neurons().harden_neurons(neurons);
}

std::unique_ptr<Pruning> make_method(const std::string& name, nn::Network& network,
                                     const Config& config, uint64_t seed) {
  config.selects("name");
  std::unique_ptr<Method> weights = methods().find(name)(network, config, seed);
  std::unique_ptr<Method> neurons = make_neuron_pruning(*weights, network, config);
  return std::make_unique<Pruning>(std::move(weights), std::move(neurons));
}

MethodHooks::MethodHooks(Pruning& pruning) : pruning_(pruning) {
  for (const MaskableLayer& layer : pruning.layers()) {
    hooks_.push_back(std::make_unique<LayerHook>(pruning, layer.id));
    layer.synapse->hook = hooks_.back().get();
  }
  for (const MaskableNeurons& neurons : pruning.neurons()) {
    spike_hooks_.push_back(std::make_unique<NeuronHook>(pruning, neurons.id));
    neurons.neuron->hook = spike_hooks_.back().get();
  }
}

MethodHooks::~MethodHooks() {
  for (const MaskableLayer& layer : pruning_.layers()) layer.synapse->hook = nullptr;
  for (const MaskableNeurons& neurons : pruning_.neurons()) neurons.neuron->hook = nullptr;
}

}  // namespace spikenm::sparsity
