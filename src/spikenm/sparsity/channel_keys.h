// The keys of methods that drop whole channels: how many of them.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity::channel_key {

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

}  // namespace spikenm::sparsity::channel_key
