// The methods of a run, side by side: one that masks weights, and beside it one that masks neurons
// where the config asks for it. The trainer calls these functions during search and knows nothing
// else about methods.
#pragma once

#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

class Pruning {
 public:
  // A method may mask both; then there is no other beside it.
  explicit Pruning(std::unique_ptr<Method> weights, std::unique_ptr<Method> neurons = nullptr);

  // One or two, in the order in which they are called.
  [[nodiscard]] const std::vector<Method*>& all() const { return all_; }

  // Every function does what Method says, for all methods in order.
  [[nodiscard]] double search_share() const { return weights_->search_share(); }
  void begin_step(const StepInfo& info);
  void after_backward(const StepInfo& info);
  [[nodiscard]] std::vector<Method*> acting_in_finetune() const;
  void after_step(const StepInfo& info, const ClearMoments& clear_moments);
  [[nodiscard]] std::vector<ParamGroup> param_groups();
  void step_parameters(double factor, const Tensor& overflow);
  [[nodiscard]] std::optional<int64_t> recording() const;
  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const;
  void visit_state(nn::StateVisitor& visitor);
  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const;
  Json take_statistics();
  [[nodiscard]] Targets targets() const;
  [[nodiscard]] Json outcome() const;

  // Of the method that masks weights.
  [[nodiscard]] const std::vector<MaskableLayer>& layers() const { return weights_->layers(); }
  [[nodiscard]] std::string pattern_text() const { return weights_->pattern_text(); }
  Tensor effective_weight(size_t layer, const Tensor& weight);
  std::shared_ptr<ops::CreditSink> credit(size_t layer) { return weights_->credit(layer); }
  [[nodiscard]] nm::Mask harden(size_t layer) const { return weights_->harden(layer); }

  // Of the method that masks neurons.
  [[nodiscard]] const std::vector<MaskableNeurons>& neurons() const {
    return on_neurons().neurons();
  }
  Tensor effective_spikes(size_t neurons, const Tensor& spikes);
  [[nodiscard]] bool changes_spikes() const { return on_neurons().changes_spikes(); }
  [[nodiscard]] Tensor activity(size_t neurons) const { return on_neurons().activity(neurons); }
  [[nodiscard]] Tensor harden_neurons(size_t neurons) const;

 private:
  [[nodiscard]] Method& on_neurons() const { return neurons_ ? *neurons_ : *weights_; }

  std::unique_ptr<Method> weights_, neurons_;  // the latter may be null, and may read the former
  std::vector<Method*> all_;
};

// The method of that name, with neuron masks beside it if the config asks for them.
std::unique_ptr<Pruning> make_method(const std::string& name, nn::Network& network,
                                     const Config& config, uint64_t seed);

// Installs the methods as weight and spike hooks of a network for as long as this lives.
class MethodHooks {
 public:
  explicit MethodHooks(Pruning& pruning);
  ~MethodHooks();
  MethodHooks(const MethodHooks&) = delete;
  MethodHooks& operator=(const MethodHooks&) = delete;

 private:
  Pruning& pruning_;
  std::vector<std::unique_ptr<nn::WeightHook>> hooks_;
  std::vector<std::unique_ptr<nn::SpikeHook>> spike_hooks_;
};

}  // namespace spikenm::sparsity
