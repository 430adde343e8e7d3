// One pruning method. The trainer calls these during search and knows nothing else of it; after
// prune the masks are frozen (frozen_masks.h) and the method rests.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/registry.h"
#include "spikenm/sparsity/layers.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::sparsity {

using at::Tensor;

// How the errors of a backward were scaled, where they were (train/loss_scale.h); both undefined
// where they were not. Both are [1] float beside the weights: to read them is to wait for a GPU.
struct Scaling {
  Tensor inverse;  // factor of gradients that came through spikes; those of weights have it already
  Tensor overflow;  // not 0: a gradient overflowed, and no optimiser takes this step
};

// Where the search stands. step counts optimiser steps from 0 to steps - 1.
struct StepInfo {
  int64_t step = 0;
  int64_t steps = 1;
  Scaling scaling;  // after_backward's
  // 0 at the first step, towards 1 at the last.
  [[nodiscard]] double progress() const {
    return static_cast<double>(step) / static_cast<double>(steps);
  }
};

// Forgets the optimiser's moments of `parameter` where `keep` is 0.
using ClearMoments = std::function<void(const Tensor& parameter, const Tensor& keep)>;

// A neuron layer whose neurons may be silenced, each at its place in [C,H,W].
struct MaskableNeurons {
  size_t id = 0;  // place in the list
  nn::Neuron* neuron = nullptr;
  std::vector<int64_t> shape;  // [C,H,W]
};

// Parameters of the method's own, trained by an Adam of their own.
struct ParamGroup {
  std::vector<Tensor> tensors;
  double lr = 1e-3;
  double eps = 1e-8;
};

class Method {
 public:
  virtual ~Method() = default;

  // Before each forward of a training step: draw, cool.
  virtual void begin_step(const StepInfo&) {}
  // The weight a layer uses in a training step; differentiable, and redraws nothing.
  virtual Tensor effective_weight(size_t layer, const Tensor& weight) = 0;
  // Where the layer's backward leaves its credit, or null.
  virtual std::shared_ptr<ops::CreditSink> credit(size_t /*layer*/) { return nullptr; }
  // After backward, before any optimiser: the credits of this batch become gradient on the logits.
  virtual void after_backward(const StepInfo&) {}
  // After the optimiser: drop and grow.
  virtual void after_step(const StepInfo&, const ClearMoments&) {}
  virtual std::vector<ParamGroup> param_groups() { return {}; }
  // A GPU may record a training step's forward and backward and run it again (ops/recording.h)
  // where effective_weight reads the same memory in every step. The number changes when the work
  // does. None: steps are never recorded.
  [[nodiscard]] virtual std::optional<int64_t> recording() const { return std::nullopt; }

  // The mask that prune would freeze now.
  [[nodiscard]] virtual nm::Mask harden(size_t layer) const = 0;

  // The same for neurons: spikes [T,B,C,H,W] as a training step uses them, and the neurons [C,H,W]
  // that prune would keep. Asked only of a method that lists neurons().
  virtual Tensor effective_spikes(size_t /*neurons*/, const Tensor& spikes) { return spikes; }
  [[nodiscard]] virtual Tensor harden_neurons(size_t /*neurons*/) const { return {}; }

  // What the method keeps from step to step, by name: logits, running credits. All must stay
  // finite.
  [[nodiscard]] virtual std::vector<nn::NamedTensor> kept_tensors() const { return {}; }
  // What a search of this many steps would leave undone, a sentence each: a method that chooses
  // nothing is no longer what its name says. Asked before training.
  [[nodiscard]] virtual std::vector<std::string> doubts(int64_t search_steps) const;

  // Means of what the method watched since the last call: temperatures, gradient norms, ….
  virtual Json take_statistics() { return Json::object(); }
  // What a finished search leaves for result.json.
  [[nodiscard]] virtual Json outcome() const { return Json::object(); }

  [[nodiscard]] const std::vector<MaskableLayer>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<MaskableNeurons>& neurons() const { return neurons_; }
  // "2:4", "2:4 2:16" when layers differ, "dense" when nothing is masked.
  [[nodiscard]] std::string pattern_text() const;

 protected:
  explicit Method(std::vector<MaskableLayer> layers) : layers_(std::move(layers)) {}
  std::vector<MaskableLayer> layers_;
  std::vector<MaskableNeurons> neurons_;
};

// `config` is the [method] section.
using MethodFactory = std::function<std::unique_ptr<Method>(nn::Network& network,
                                                            const Config& config, uint64_t seed)>;

const Registry<MethodFactory>& methods();

// The method of that name, with neuron masks beside it when the config asks for them.
std::unique_ptr<Method> make_method(const std::string& name, nn::Network& network,
                                    const Config& config, uint64_t seed);

// The method as weight and spike hooks of a network, for as long as this lives.
class MethodHooks {
 public:
  explicit MethodHooks(Method& method);
  ~MethodHooks();
  MethodHooks(const MethodHooks&) = delete;
  MethodHooks& operator=(const MethodHooks&) = delete;

 private:
  Method& method_;
  std::vector<std::unique_ptr<nn::WeightHook>> hooks_;
  std::vector<std::unique_ptr<nn::SpikeHook>> spike_hooks_;
};

}  // namespace spikenm::sparsity
