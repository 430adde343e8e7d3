// One pruning method, of weights, of neurons or of both. A run may have two side by side (pruning.h).
// After prune the masks are frozen (frozen_masks.h); only a method that acts in finetune is called then.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/registry.h"
#include "spikenm/nn/optimizer.h"
#include "spikenm/sparsity/layers.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::sparsity {

using at::Tensor;

// How the gradients of a backward were scaled (train/loss_scale.h); both are undefined if they were
// not. Both are [1] float on the weights' device: the host must wait for a GPU to read them.
struct Scaling {
  // Factor of gradients that came through spikes; gradients of weights already contain it.
  Tensor inverse;
  Tensor overflow;  // not 0: a gradient overflowed, and no optimiser takes this step
};

// Resets the optimiser's moments of `parameter` where `keep` is 0.
using ClearMoments = std::function<void(const Tensor& parameter, const Tensor& keep)>;

// The position in the search. step counts optimiser steps from 0 to steps - 1.
struct StepInfo {
  int64_t step = 0;
  int64_t steps = 1;
  double lr = 0;                    // of the weights; set in training steps
  bool ends_epoch = false;          // the last step of an epoch
  bool is_frozen = false;           // a step of finetune: the masks stay as they are
  Scaling scaling = {};             // only set for after_backward
  ClearMoments clear_moments = {};  // only set for begin_step in the search
  // 0 at the first step, towards 1 at the last.
  [[nodiscard]] double progress() const {
    return static_cast<double>(step) / static_cast<double>(steps);
  }
};

// A neuron layer whose neurons may be silenced, each at its place in [C,H,W].
struct MaskableNeurons {
  size_t id = 0;  // index in the list
  nn::Neuron* neuron = nullptr;
  std::vector<int64_t> shape;  // [C,H,W]
};

// Parameters that belong to the method; an optimiser of their own trains them.
struct ParamGroup {
  std::vector<Tensor> tensors;
  double lr = 1e-3;
  nn::OptimizerOptions optimizer = {};  // Adam unless told
  bool follows_schedule = true;         // lr is multiplied by the factor of the weights' schedule
};

// What the config asks the masks to keep, as shares of 1.
struct Targets {
  std::optional<double> weights;      // of the layers' weights
  std::optional<double> connections;  // of the dense network's
};

class Method {
 public:
  virtual ~Method() = default;

  // The share of all epochs that the search has if the config does not say.
  [[nodiscard]] virtual double search_share() const { return 0.75; }

  // Called before each forward of a training step: draws masks, lowers temperatures.
  virtual void begin_step(const StepInfo&) {}
  // The weight that a layer uses in a training step; differentiable. It must not draw again.
  virtual Tensor effective_weight(size_t /*layer*/, const Tensor& weight) { return weight; }
  // Where the layer's backward writes its credit; null: no credit is wanted.
  virtual std::shared_ptr<ops::CreditSink> credit(size_t /*layer*/) { return nullptr; }
  // Called after backward and before any optimiser: turns the credits of this batch into gradients
  // of the logits.
  virtual void after_backward(const StepInfo&) {}
  // True: begin_step, after_backward and the optimisers of its own parameters are called in finetune too, with
  // is_frozen, statistics are taken, and what the method keeps is saved there. The masks are frozen:
  // the network no longer asks for effective weights, spikes or credits.
  [[nodiscard]] virtual bool acts_in_finetune() const { return false; }
  // Called after the optimiser: drops and grows weights.
  virtual void after_step(const StepInfo&, const ClearMoments&) {}
  virtual std::vector<ParamGroup> param_groups() { return {}; }
  // A step of the optimiser of each group, at `factor` times its rate where it follows the schedule; none
  // where `overflow` is not 0.
  void step_parameters(double factor, const Tensor& overflow);
  // A GPU may record the forward and backward of a training step and run the recording again
  // (ops/recording.h), if effective_weight reads the same memory in every step. The number must
  // change when the work changes. None: steps are never recorded.
  [[nodiscard]] virtual std::optional<int64_t> recording() const { return std::nullopt; }

  // The mask that prune would freeze now; it obeys the rule of the layer.
  // Called only if the method lists layers().
  [[nodiscard]] virtual nm::Mask harden(size_t /*layer*/) const {
    throw Bug("the method masks no weights");
  }
  // True: each layer keeps as many weights from the start to the end of the search.
  [[nodiscard]] virtual bool keeps_its_numbers() const { return false; }
  // The weight that the layer would then have, 0 where the mask drops; undefined: the weight as it
  // is, times the mask.
  [[nodiscard]] virtual Tensor used_weight(size_t /*layer*/) const { return {}; }

  // The same for neurons: spikes [T,B,C,H,W] as a training step uses them, and the neurons [C,H,W]
  // that prune would keep. Called only if the method lists neurons().
  virtual Tensor effective_spikes(size_t /*neurons*/, const Tensor& spikes) { return spikes; }
  // False: effective_spikes is not called, and a GPU need not store spikes that only a pool reads.
  [[nodiscard]] virtual bool changes_spikes() const { return true; }
  // What every forward of a training step adds the activity of the neurons' channels to, [C]
  // (nn::SpikeHook); undefined: not wanted.
  [[nodiscard]] virtual Tensor activity(size_t /*neurons*/) const { return {}; }
  [[nodiscard]] virtual Tensor harden_neurons(size_t /*neurons*/) const { return {}; }

  // What the method keeps from step to step (logits, running credits), by name. All values must
  // stay finite.
  [[nodiscard]] virtual std::vector<nn::NamedTensor> kept_tensors() const { return {}; }
  // Shows the visitor all that the search needs to continue as if it had never stopped: the
  // method's own state, and the moments of the optimisers of its parameters. A mask that is used
  // for several steps is part of the state, because it cannot be drawn again: the weights and
  // logits have changed since the draw.
  void visit_state(nn::StateVisitor& visitor);

  // What a search of this many steps would leave undone, one sentence each: a method that chooses
  // nothing does not do what its name says. Called before training.
  [[nodiscard]] virtual std::vector<std::string> doubts(int64_t search_steps) const;

  // Means of what the method measured since the last call: temperatures, gradient norms, ….
  virtual Json take_statistics() { return Json::object(); }
  [[nodiscard]] virtual Targets targets() const { return {}; }
  // What a finished search adds to result.json.
  [[nodiscard]] virtual Json outcome() const { return Json::object(); }

  [[nodiscard]] const std::vector<MaskableLayer>& layers() const { return layers_; }
  [[nodiscard]] const std::vector<MaskableNeurons>& neurons() const { return neurons_; }
  // "2:4", "2:4 2:16" or "unstructured" by the rules of the layers, "dense" if nothing is masked.
  [[nodiscard]] std::string pattern_text() const;

 protected:
  // The method's part of visit_state: everything that it keeps from one step to the next.
  virtual void visit_own_state(nn::StateVisitor& /*visitor*/) {}

  explicit Method(std::vector<MaskableLayer> layers) : layers_(std::move(layers)) {}
  std::vector<MaskableLayer> layers_;
  std::vector<MaskableNeurons> neurons_;

 private:
  struct OwnOptimizer {
    nn::Optimizer optimizer;
    double lr;
    bool follows_schedule;
  };
  void make_optimizers();

  std::vector<OwnOptimizer> optimizers_;  // one per group; none before the first step
};

// `config` is the [method] section.
using MethodFactory = std::function<std::unique_ptr<Method>(nn::Network& network,
                                                            const Config& config, uint64_t seed)>;

const Registry<MethodFactory>& methods();

}  // namespace spikenm::sparsity
