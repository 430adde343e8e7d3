// Words of the mask search that options, ops and kernels share (docs/method.md).
#pragma once

#include <cstdint>

namespace spikenm::nm {

// How the gradient passes the OR of a block's draws: with the hard draws, or with the relaxed ones.
enum class OrGradient : int32_t { kLiteral, kSoft };

// What the credits of a block are divided by before they become a target: nothing, their mean, the
// mean of the layer's credits; or they are centred and divided by their standard deviation.
enum class CreditScale : int32_t { kRaw, kBlockMean, kLayerMean, kBlockZ };

}  // namespace spikenm::nm
