// Rewiring by credit; gradual_rewire.cpp ends with it.
#pragma once

#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/interval.h"
#include "spikenm/sparsity/method.h"

#include <memory>
#include <vector>

namespace spikenm::sparsity {

struct RewireOptions {
  Interval every;
  double fraction = 0.3;  // of a layer's blocks, at the start
  ops::CreditKind credit = ops::CreditKind::kNet;
  double credit_decay = 0.9;
};

RewireOptions read_rewire_options(const Config& config);

// A random mask that is rewired at intervals [Evci20]: in the blocks whose smallest kept |w| is
// smallest, that weight is dropped, and the position with the largest running credit among those
// not kept grows from zero. The number of blocks that change falls by a half cosine from `fraction`
// to 0 over the search.
class Rewire : public Method {
 public:
  Rewire(std::vector<MaskableLayer> layers, const RewireOptions& options, uint64_t seed);

  Tensor effective_weight(size_t id, const Tensor& weight) override;
  std::shared_ptr<ops::CreditSink> credit(size_t id) override { return states_[id].sink; }
  void after_backward(const StepInfo& info) override;
  void after_step(const StepInfo& info, const ClearMoments& clear_moments) override;
  [[nodiscard]] nm::Mask harden(size_t id) const override;
  [[nodiscard]] std::vector<nn::NamedTensor> kept_tensors() const override;
  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override;
  Json take_statistics() override;

  // Takes other positions [n_blocks, n] than the random ones, and forgets all credits of the layer.
  void start_from(size_t id, const Tensor& positions);
  // After a step: adds its credit, and rewires if it is the last of `every`. `info` counts the steps of the
  // rewiring.
  void rewire_every(int64_t every, const StepInfo& info, const ClearMoments& clear_moments);

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override;

 private:
  struct State {
    ops::BlockMask mask;                    // draws are distinct
    std::shared_ptr<ops::CreditSink> sink;  // the credit of the last step
    Tensor credit;                          // running mean of it, in the weight's shape
  };

  void add_credits();
  void rewire(const MaskableLayer& layer, int64_t n_changes, const ClearMoments& clear_moments);

  RewireOptions options_;
  std::vector<State> states_;
  Tensor overflow_;  // of this step, as in Scaling
  int64_t rewired_blocks_ = 0;
};

}  // namespace spikenm::sparsity
