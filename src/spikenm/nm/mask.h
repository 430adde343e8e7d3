// The mask of a layer: one byte per weight, in the weight's memory order, and the rule it must
// obey.
#pragma once

#include "spikenm/nm/grouping.h"

#include <cstdint>
#include <string>
#include <vector>

namespace spikenm::nm {

struct Mask {
  // kDense: everything kept. kNm: `pattern` over `layout`. kUnstructured: any weight may be dropped.
  // kChannel: whole output and input channels are dropped, so that what is kept is a smaller layer.
  enum class Kind { kDense, kNm, kUnstructured, kChannel };

  Kind kind = Kind::kDense;
  NmPattern pattern;          // kNm
  BlockLayout layout;         // kNm, kChannel
  std::vector<uint8_t> keep;  // [numel], 0 or 1

  static Mask dense(int64_t numel);
  [[nodiscard]] int64_t kept() const;
};

// The result of a check of a mask against its rule.
struct MaskAudit {
  int64_t weights = 0, kept = 0;
  int64_t blocks = 0;            // weight blocks: a shared mask block counts once per member
  int64_t empty_blocks = 0;      // blocks that keep nothing
  int64_t violating_blocks = 0;  // blocks that keep more than n
  int64_t unshared_blocks = 0;   // blocks that differ from the one they should share a mask with
  int64_t tail = 0, tail_dropped = 0;
  int64_t misplaced = 0;  // dropped weights of a dense layer, or those that cross whole channels
  [[nodiscard]] bool valid() const {
    return violating_blocks == 0 && unshared_blocks == 0 && tail_dropped == 0 && misplaced == 0;
  }
};

// "n:m", "unstructured", "channel" or "dense".
std::string rule_text(Mask::Kind kind, const NmPattern& pattern);

// A layout without blocks: what a mask of another rule than n:m has.
BlockLayout no_blocks(const WeightShape& shape);

MaskAudit audit(const Mask& mask);

// Eq. (10): the probabilistic sum of one-hot vectors, 1 - prod_k (1 - a_k), is the OR of their
// bits.
BlockBits probabilistic_sum(const std::vector<int>& draws);

}  // namespace spikenm::nm
