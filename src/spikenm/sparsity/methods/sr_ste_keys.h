// The keys of [method] that sr-ste reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace sr_ste_key {

inline const RealKey kDecay{"decay", 2e-4, 0, kMostNumber,
                            "pull to zero on weights out of the mask"};

inline KeyList all() {
  return {&kDecay};
}

}  // namespace sr_ste_key

}  // namespace spikenm::sparsity
