// The keys of [method] that sca reads.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/sparsity/channel_keys.h"

namespace spikenm::sparsity {
namespace sca_key {

inline const RealKey kRegrow{"regrow", 0.2, 0, 1,
                             "share of the kept channels that are chosen by gradient instead"};
inline const RealKey kPenalty{
    "penalty", 3e-5, 0, kMostNumber,
    "pull of the convolutions' weights towards 0, in search and finetune"};

inline KeyList all() {
  return {&channel_key::kChannels, &channel_key::kTargetWeight, &kRegrow, &kPenalty};
}

}  // namespace sca_key

}  // namespace spikenm::sparsity
