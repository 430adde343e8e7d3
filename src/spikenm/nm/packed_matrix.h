// A weight under an N:M mask, stored as n values and n positions per block, plus the dense tails.
//
//   block of 2:4   [ 0  a  0  b ]   ->   values a b   positions 1 3
//   fewer kept     [ 0  0  c  0 ]   ->   values c 0   positions 2 0    (padding: 0 at position 0)
//
// Blocks are in the order of BlockLayout, each member of a shared mask separately.
#pragma once

#include "spikenm/nm/mask.h"

#include <cstdint>
#include <span>
#include <vector>

namespace spikenm::nm {

struct PackedMatrix {
  NmPattern pattern;
  BlockLayout layout;
  std::vector<float> values;       // [weight blocks, n]
  std::vector<uint8_t> positions;  // [weight blocks, n]
  std::vector<float> tail;         // elements in no block, in memory order
};

// `weight` is in memory order; weights that the mask drops are lost. Throws an Error when the mask
// is not valid N:M.
PackedMatrix pack(std::span<const float> weight, const Mask& mask);

// The masked weight in memory order, bit for bit.
std::vector<float> unpack(const PackedMatrix& packed);

}  // namespace spikenm::nm
