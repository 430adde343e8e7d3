// The temperatures of a relaxed draw, as keys of [method].
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
inline const RealKey kTauMax{"tau_max", 1, 1e-8, kMostNumber,
                             "temperature at the start of the search"};
inline const RealKey kTauMin{"tau_min", 0.1, 1e-8, kMostNumber,
                             "temperature at its end, at most tau_max"};

}  // namespace spikenm::sparsity
