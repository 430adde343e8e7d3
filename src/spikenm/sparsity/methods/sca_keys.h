// The keys of [method] that sca reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace sca_key {

inline const RealKey kChannels{"channels", 0.5, 1e-6, 1,
                               "share of all channels that are kept, over all layers together"};
inline const RealKey kRegrow{"regrow", 0.2, 0, 1,
                             "share of the kept channels that are chosen by gradient instead"};
inline const RealKey kPenalty{"penalty", 3e-5, 0, kMostNumber,
                              "pull of the convolutions' weights towards 0 in the search"};

inline KeyList all() {
  return {&kChannels, &kRegrow, &kPenalty};
}

}  // namespace sca_key

}  // namespace spikenm::sparsity
