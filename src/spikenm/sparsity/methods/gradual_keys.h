// The keys of [method] that gradual reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace gradual_key {

inline const RealKey kUntil{"until", 0.9, 0.01, 1, "share of the search after which blocks keep n"};
inline const StepsKey kMaskEvery{"mask_every", "0.6%", "how often the mask is chosen anew"};
inline const ChoiceKey kWeightGrad{
    "weight_grad", "masked", {"masked", "dense"}, "whether weights out of the mask learn"};

inline KeyList all() {
  return {&kUntil, &kMaskEvery, &kWeightGrad};
}

}  // namespace gradual_key

}  // namespace spikenm::sparsity
