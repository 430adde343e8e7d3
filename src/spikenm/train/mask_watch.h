// How the masks of a run change from epoch to epoch.
#pragma once

#include "spikenm/sparsity/frozen_masks.h"

#include <vector>

namespace spikenm::train {

class MaskWatch {
 public:
  // `density` is the share of the masked layers' weights that the masks keep, and `layer_density`
  // that of each layer. `flip_rate` is the
  // share of the kept weights that the masks of the last call did not keep; the first call has
  // none. Without masks of weights there is neither.
  Json look(const sparsity::Masks& masks);

  void visit_state(nn::StateVisitor& visitor, const sparsity::Pruning& method);

 private:
  std::vector<at::Tensor> before_;  // per layer: the bits of the last masks, [numel]
};

}  // namespace spikenm::train
