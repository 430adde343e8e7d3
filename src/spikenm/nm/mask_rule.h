// The rule that a mask obeys, without its bits: what files and configs say of a mask.
#pragma once

#include "spikenm/nm/mask.h"

#include <string>

namespace spikenm::nm {

// The pattern, the axis and share_taps are those of kNm and have no meaning otherwise.
struct MaskRule {
  Mask::Kind kind = Mask::Kind::kDense;
  NmPattern pattern;
  Axis axis = Axis::kIn;
  bool share_taps = false;  // one mask for all places of a kernel; false where there is one place

  // "2:4 along in", "1:4 along flat, share 4", "channel".
  [[nodiscard]] std::string text() const;
};
bool operator==(const MaskRule& a, const MaskRule& b);

// The rule of a mask whose blocks lie as `layout` says.
MaskRule rule_of(Mask::Kind kind, const NmPattern& pattern, const BlockLayout& layout,
                 const WeightShape& shape);

// A mask of that rule, without its bits. An Error begins with `what` where the rule does not fit the
// shape.
Mask mask_of(const MaskRule& rule, const WeightShape& shape, const std::string& what);

}  // namespace spikenm::nm
