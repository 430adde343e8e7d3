#include "spikenm/nm/mask_rule.h"

#include "spikenm/core/error.h"

namespace spikenm::nm {
namespace {

bool same_places(const BlockLayout& a, const BlockLayout& b) {
  return a.n_blocks == b.n_blocks && a.rows == b.rows && a.taps == b.taps &&
         a.blocks_per_row == b.blocks_per_row && a.block_stride == b.block_stride &&
         a.position_stride == b.position_stride && a.channel_stride == b.channel_stride;
}

}  // namespace

std::string MaskRule::text() const {
  std::string said = rule_text(kind, pattern);
  if (kind != Mask::Kind::kNm) return said;
  said += fmt::format(" along {}", axis_name(axis));
  if (pattern.share > 1) said += fmt::format(", share {}", pattern.share);
  if (share_taps) said += ", share_taps";
  return said;
}

bool operator==(const MaskRule& a, const MaskRule& b) {
  if (a.kind != b.kind) return false;
  return a.kind != Mask::Kind::kNm ||
         (a.pattern == b.pattern && a.axis == b.axis && a.share_taps == b.share_taps);
}

MaskRule rule_of(Mask::Kind kind, const NmPattern& pattern, const BlockLayout& layout,
                 const WeightShape& shape) {
  if (kind != Mask::Kind::kNm) return {.kind = kind, .pattern = {}};
  const bool share_taps = layout.taps > 1;
  const BlockLayout in = make_layout(shape, pattern, Axis::kIn, "mask", share_taps);
  return {.kind = kind,
          .pattern = pattern,
          .axis = same_places(in, layout) ? Axis::kIn : Axis::kFlat,
          .share_taps = share_taps};
}

Mask mask_of(const MaskRule& rule, const WeightShape& shape, const std::string& what) {
  return {.kind = rule.kind,
          .pattern = rule.pattern,
          .layout = rule.kind == Mask::Kind::kNm
                        ? make_layout(shape, rule.pattern, rule.axis, what, rule.share_taps)
                        : no_blocks(shape),
          .keep = {}};
}

}  // namespace spikenm::nm
