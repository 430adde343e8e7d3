// The keys of [method] that nsl reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace nsl_key {

inline const RealKey kChannels{"channels",
                               0.5,
                               1e-6,
                               1,
                               "share of all channels that are kept, over all layers together",
                               "without target_weight"};
inline const RealKey kTargetWeight{"target_weight",
                                   Varies{"none"},
                                   1e-6,
                                   1,
                                   "share of the weights to keep; the number of channels is found",
                                   "where channels is left out"};
inline const RealKey kPenalty{"penalty", 1e-4, 0, kMostNumber,
                              "pull of the norms' scales towards 0 in the search"};

inline KeyList all() {
  return {&kChannels, &kTargetWeight, &kPenalty};
}

}  // namespace nsl_key

}  // namespace spikenm::sparsity
