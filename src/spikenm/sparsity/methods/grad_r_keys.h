// The keys of [method] that grad-r reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace grad_r_key {

inline const RealKey kSparsity{"sparsity", 0.95, 0.5, 0.999999,
                               "share of the weights to drop, at least a half"};
inline const RealKey kAlpha{"alpha", 1e-3, 1e-9, kMostNumber,
                            "pull of the prior, as a share of the learning rate"};

inline KeyList all() {
  return {&kSparsity, &kAlpha};
}

}  // namespace grad_r_key

}  // namespace spikenm::sparsity
