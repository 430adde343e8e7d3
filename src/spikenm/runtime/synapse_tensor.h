// The weight of a synapse as a .snm file holds it: n values for each block of m, and their
// positions once for each mask.
//
//   2:4, two output channels that share a mask, one block:
//     channel 0  [ 0  a  0  b ]        values     a b | c d
//     channel 1  [ 0  c  0  d ]   ->   positions  1 3          (once, 2 bits each)
//
// A block that keeps fewer than n weights has padding at its end: value 0 at a position that does
// not grow. Weights in no block (tails) follow as they are. A weight without a pattern is stored
// whole, in memory order, or as bits (synapse_bits.h). docs/format.md has the bytes.
#pragma once

#include "spikenm/nm/mask.h"
#include "spikenm/runtime/held_bytes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spikenm::runtime {

enum class WeightType { kFloat, kInt8 };

// "fp32", "int8"; an Error begins with `what`.
WeightType parse_weight_type(std::string_view text, std::string_view what);
std::string_view weight_type_name(WeightType type);
uint64_t value_bytes(WeightType type);

// Which weights a synapse keeps.
struct WeightRule {
  nm::NmPattern pattern;
  nm::Axis axis = nm::Axis::kIn;
  bool share_taps = false;  // one mask for all places of the kernel; only with Axis::kIn

  friend bool operator==(const WeightRule&, const WeightRule&) = default;
};

struct SynapseTensor {
  nm::WeightShape shape;
  std::optional<WeightRule> rule;  // none: dense
  WeightType type = WeightType::kFloat;
  bool as_bits = false;      // in a file, zeros are bits (synapse_bits.h); only without a rule
  HeldBytes values;          // floats or int8, in the order of the blocks, then the tails
  HeldBytes positions;       // bits, lowest first; empty when dense
  std::vector<float> scale;  // [cout]: a weight is scale * value; empty for floats
  std::vector<float> bias;   // [cout], or empty
};

// How many bytes a tensor of this shape and rule has.
struct TensorSizes {
  uint64_t values = 0, positions = 0;
};
// Throws an Error that begins with `what` when the rule does not fit the shape.
TensorSizes tensor_sizes(const nm::WeightShape& shape, const std::optional<WeightRule>& rule,
                         WeightType type, std::string_view what);

// `weight` is [cout,cin,kh,kw], `keep` one byte for each of its elements; without a rule it may be
// empty: whole, and else it is stored as bits. int8: the largest weight of an output channel becomes 127 or -127. An Error begins with
// `what` when `keep` breaks the rule.
SynapseTensor pack_synapse(std::span<const float> weight, std::span<const uint8_t> keep,
                           const nm::WeightShape& shape, const std::optional<WeightRule>& rule,
                           WeightType type, const std::string& what);

// Throws an Error that begins with `what` when a position lies outside its block.
void check_positions(const SynapseTensor& tensor, const std::string& what);

// The weight in memory order; of int8 without its scale. What the pattern drops is 0.
std::vector<float> unpack_floats(const SynapseTensor& tensor);
std::vector<int8_t> unpack_int8(const SynapseTensor& tensor);

// How many weights the file has a place for: n of every m, tails, all, or those that are not 0.
int64_t stored_weights(const SynapseTensor& tensor);

}  // namespace spikenm::runtime
