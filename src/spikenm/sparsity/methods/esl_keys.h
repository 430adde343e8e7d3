// The keys of [method] that esl reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace esl_key {

inline const RealKey kTargetWeight{"target_weight", 0.5, 1e-6, 1,
                                   "share of the weights that are kept, from the first step on"};
inline const ChoiceKey kGrow{"grow",
                             "rigl",
                             {"rigl", "set"},
                             "which weights grow: those with the largest gradient, or random ones"};
inline const StepsKey kEvery{"every", "1.5%", "how often weights are dropped and grown"};
inline const RealKey kFraction{"fraction", 0.5, 0, 1,
                               "share of a layer's kept weights that change at the start"};
inline const RealKey kFractionEnd{"fraction_end", 0.005, 0, 1,
                                  "the same at the end, at most fraction"};

inline KeyList all() {
  return {&kTargetWeight, &kGrow, &kEvery, &kFraction, &kFractionEnd};
}

}  // namespace esl_key

}  // namespace spikenm::sparsity
