#include "spikenm/nm/packed_matrix.h"

#include "spikenm/core/error.h"

namespace spikenm::nm {
namespace {

// Calls visit(element offset of position 0) for every weight block, in packing order, and marks the
// elements that belong to a block.
template <class Visit>
std::vector<bool> for_each_block(const BlockLayout& layout, Visit&& visit) {
  std::vector<bool> in_block(static_cast<size_t>(layout.numel));
  for (int64_t b = 0; b < layout.n_blocks; ++b) {
    for (int32_t i = 0; i < layout.members_of(b); ++i) {
      const int64_t start = layout.start(b) + layout.member(i);
      for (int s = 0; s < layout.m; ++s)
        in_block[static_cast<size_t>(start + s * layout.position_stride)] = true;
      visit(start);
    }
  }
  return in_block;
}

}  // namespace

PackedMatrix pack(std::span<const float> weight, const Mask& mask) {
  SPIKENM_CHECK(mask.kind == Mask::Kind::kNm, "pack: the mask follows no N:M pattern");
  const MaskAudit found = audit(mask);
  SPIKENM_CHECK(found.valid(),
                "pack: {} of {} blocks break the pattern {}, and {} of {} tail weights are dropped",
                found.violating_blocks + found.unshared_blocks, found.blocks, mask.pattern.text(),
                found.tail_dropped, found.tail);
  SPIKENM_ASSERT(static_cast<int64_t>(weight.size()) == mask.layout.numel);

  PackedMatrix packed{
      .pattern = mask.pattern, .layout = mask.layout, .values = {}, .positions = {}, .tail = {}};
  const std::vector<bool> in_block = for_each_block(mask.layout, [&](int64_t start) {
    int used = 0;
    for (int s = 0; s < mask.layout.m; ++s) {
      const auto element = static_cast<size_t>(start + s * mask.layout.position_stride);
      if (mask.keep[element] == 0) continue;
      packed.values.push_back(weight[element]);
      packed.positions.push_back(static_cast<uint8_t>(s));
      ++used;
    }
    for (; used < mask.pattern.n; ++used) {
      packed.values.push_back(0.0f);
      packed.positions.push_back(0);
    }
  });

  for (size_t i = 0; i < weight.size(); ++i) {
    if (!in_block[i]) packed.tail.push_back(weight[i]);
  }
  return packed;
}

std::vector<float> unpack(const PackedMatrix& packed) {
  std::vector<float> weight(static_cast<size_t>(packed.layout.numel), 0.0f);
  size_t slot = 0;
  const std::vector<bool> in_block = for_each_block(packed.layout, [&](int64_t start) {
    int previous = -1;  // positions increase within a block, except padding
    for (int k = 0; k < packed.pattern.n; ++k, ++slot) {
      const int s = packed.positions[slot];
      if (s <= previous) continue;
      previous = s;
      weight[static_cast<size_t>(start + s * packed.layout.position_stride)] = packed.values[slot];
    }
  });

  size_t next = 0;
  for (size_t i = 0; i < weight.size(); ++i) {
    if (!in_block[i]) weight[i] = packed.tail[next++];
  }
  return weight;
}

}  // namespace spikenm::nm
