// What a method adds to every step of the search: its mask before the forward, the optimiser of its
// parameters after the backward, and dropping and growing weights after the step.
#pragma once

#include "spikenm/sparsity/pruning.h"
#include "spikenm/train/step.h"

#include <vector>

namespace spikenm::train {

// The step as a method sees it.
sparsity::StepInfo step_info(const Position& at, const Schedule& schedule);

// A method's own parameters, by the names under which it keeps them.
std::vector<nn::NamedTensor> named_parameters(const std::vector<sparsity::ParamGroup>& groups,
                                              const std::vector<nn::NamedTensor>& kept);

// Installs the method in its network for as long as this lives.
class SearchHooks {
 public:
  SearchHooks(sparsity::Pruning& method, const Schedule& schedule, nn::Optimizer& weights);

  [[nodiscard]] StepHooks hooks();

 private:
  void before_forward(const Position& at);
  void after_backward(const Position& at, const sparsity::Scaling& scaling);
  void step_parameters(const Position& at, const sparsity::Scaling& scaling);
  void after_step(const Position& at);

  sparsity::Pruning& method_;
  const Schedule& schedule_;
  sparsity::ClearMoments clear_moments_;
  sparsity::MethodHooks installed_;
  std::vector<nn::NamedTensor> parameters_;  // the method's own
};

}  // namespace spikenm::train
