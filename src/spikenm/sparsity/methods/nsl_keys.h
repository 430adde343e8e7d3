// The keys of [method] that nsl reads.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/sparsity/channel_keys.h"

namespace spikenm::sparsity {
namespace nsl_key {

inline const RealKey kPenalty{"penalty", 1e-4, 0, kMostNumber,
                              "pull of the norms' scales towards 0 in the search"};

inline KeyList all() {
  return {&channel_key::kChannels, &channel_key::kTargetWeight, &kPenalty};
}

}  // namespace nsl_key

}  // namespace spikenm::sparsity
