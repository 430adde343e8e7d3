// A weight without blocks as a .snm file holds it: a bit for each weight, and the values of those
// that are not 0.
//
//   [ 0  a  0  b  c  0 ]   ->   bits 0 1 0 1 1 0, lowest first: 1a      values a b c
//
// In memory it is whole. docs/format.md has the bytes.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/runtime/synapse_tensor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::runtime {

// The weights that have a bit: those that are not 0.
int64_t count_bit_weights(const SynapseTensor& tensor);

// Bits fill bytes from the lowest on; an Error where one behind the last of `count` is set. `of` says what
// they are: "weights".
void check_last_bits(Bytes bits, size_t count, const std::string& what, std::string_view of);

struct BitWeights {
  std::vector<uint8_t> bits;    // ceil(numel / 8)
  std::vector<uint8_t> values;  // floats or int8, in memory order
};

// Of a tensor that is whole. A value is 0 if all of its bytes are.
BitWeights to_bit_weights(const SynapseTensor& tensor);

// The whole values again. `bits` has one for each weight. An Error begins with `what` where bits
// behind the last weight are set, where there are not as many values as bits, or where one is 0.
std::vector<uint8_t> from_bit_weights(Bytes bits, Bytes values, const nm::WeightShape& shape,
                                      WeightType type, const std::string& what);

}  // namespace spikenm::runtime
