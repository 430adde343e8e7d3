// The keys of [method] that stds reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace stds_key {

inline const RealKey kThreshold{"threshold",
                                1,
                                0,
                                kMostNumber,
                                "the soft threshold at the end of the search",
                                "without target_weight"};
inline const ChoiceKey kGrowth{
    "growth", "sine", {"sine", "linear"}, "how the threshold grows from 0 over the search"};
inline const RealKey kTargetWeight{
    "target_weight",
    Varies{"none"},
    1e-6,
    1,
    "share of the weights to keep; the threshold is then the one that leaves it",
    "where threshold is left out"};

inline KeyList all() {
  return {&kThreshold, &kGrowth, &kTargetWeight};
}

}  // namespace stds_key

}  // namespace spikenm::sparsity
