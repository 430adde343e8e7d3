// Choices of the mask search that options, ops and kernels share (docs/options.md).
#pragma once

#include <cstdint>

namespace spikenm::nm {

// How the gradient passes the OR of a block's draws: with the hard draws (kLiteral), or with the
// relaxed draws (kSoft).
enum class OrGradient : int32_t { kLiteral, kSoft };

// How the credits of a block are scaled before they become a target: not at all, divided by their
// mean, divided by the mean of the layer's credits, or centred and divided by their standard
// deviation.
enum class CreditScale : int32_t { kRaw, kBlockMean, kLayerMean, kBlockZ };

}  // namespace spikenm::nm
