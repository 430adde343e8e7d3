#include "spikenm/nm/mask.h"

#include "spikenm/core/error.h"

#include <bit>
#include <numeric>

namespace spikenm::nm {
namespace {

BlockBits bits_at(const Mask& mask, int64_t start) {
  BlockBits bits = 0;
  for (int s = 0; s < mask.layout.m; ++s) {
    if (mask.keep[static_cast<size_t>(start + s * mask.layout.position_stride)] != 0)
      bits |= BlockBits{1} << s;
  }
  return bits;
}

}  // namespace

Mask Mask::dense(int64_t numel) {
  Mask mask;
  mask.keep.assign(static_cast<size_t>(numel), 1);
  return mask;
}

int64_t Mask::kept() const {
  return std::accumulate(keep.begin(), keep.end(), int64_t{0});
}

MaskAudit audit(const Mask& mask) {
  MaskAudit result;
  result.weights = static_cast<int64_t>(mask.keep.size());
  result.kept = mask.kept();
  if (mask.kind != Mask::Kind::kNm) return result;

  const BlockLayout& layout = mask.layout;
  SPIKENM_ASSERT(layout.numel == result.weights);
  int64_t kept_in_blocks = 0;
  for (int64_t b = 0; b < layout.n_blocks; ++b) {
    const BlockBits first = bits_at(mask, layout.start(b));
    for (int32_t i = 0; i < layout.members_of(b); ++i) {
      const BlockBits bits = bits_at(mask, layout.start(b) + layout.member(i));
      const int ones = std::popcount(bits);
      ++result.blocks;
      kept_in_blocks += ones;
      if (ones == 0) ++result.empty_blocks;
      if (ones > mask.pattern.n) ++result.violating_blocks;
      if (bits != first) ++result.unshared_blocks;
    }
  }

  result.tail = layout.tail();
  result.tail_dropped = result.tail - (result.kept - kept_in_blocks);
  return result;
}

BlockBits probabilistic_sum(const std::vector<int>& draws) {
  BlockBits bits = 0;
  for (const int s : draws) bits |= BlockBits{1} << s;
  return bits;
}

}  // namespace spikenm::nm
