// Magnitude pruning step by step; gradual_rewire.cpp starts with it.
#pragma once

#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/interval.h"
#include "spikenm/sparsity/method.h"

#include <vector>

namespace spikenm::sparsity {

struct GradualOptions {
  double until = 0.9;  // progress from which blocks keep n
  Interval mask_every;
  bool dense_weight_grad = false;
};

// Reads all of [method] but `until`, whose default differs between methods.
GradualOptions read_gradual_options(const Config& config, double until);

// Dense at first. The number of weights that a block keeps, chosen by |w|, falls from m to n with
// the cube of the remaining search [Zhu17]. A weight outside the mask keeps its value and returns
// if it is among the largest at the next choice. With a masked gradient only momentum and decay
// change it meanwhile; a dense gradient trains it.
class Gradual : public Method {
 public:
  Gradual(std::vector<MaskableLayer> layers, const GradualOptions& options);

  void begin_step(const StepInfo& info) override;
  Tensor effective_weight(size_t id, const Tensor& weight) override;
  [[nodiscard]] nm::Mask harden(size_t id) const override;
  [[nodiscard]] std::vector<std::string> doubts(int64_t search_steps) const override;

  // Chooses all masks now.
  void choose(const StepInfo& info);
  // [n_blocks, n]: the positions that prune would keep now.
  [[nodiscard]] Tensor largest(size_t id) const;

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override;

 private:
  [[nodiscard]] int kept_at(const MaskableLayer& layer, const StepInfo& info) const;

  GradualOptions options_;
  std::vector<ops::BlockMask> masks_;  // the current mask of each layer
};

}  // namespace spikenm::sparsity
