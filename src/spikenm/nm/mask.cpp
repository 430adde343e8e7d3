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

// Kept weights form the product of a set of output channels and one of input channels. Returns how
// many weights differ from the product of the channels that keep anything.
int64_t off_channels(const Mask& mask) {
  const BlockLayout& layout = mask.layout;
  const auto outputs = static_cast<size_t>(layout.n_channels);
  const auto taps = static_cast<size_t>(layout.rows);
  const size_t inputs = mask.keep.size() / outputs / taps;
  std::vector<uint8_t> out(outputs), in(inputs);
  const auto for_each = [&](auto&& see) {
    for (size_t o = 0, w = 0; o < outputs; ++o)
      for (size_t i = 0; i < inputs; ++i)
        for (size_t t = 0; t < taps; ++t, ++w) see(o, i, mask.keep[w] != 0);
  };

  for_each([&](size_t o, size_t i, bool kept) {
    out[o] |= static_cast<uint8_t>(kept);
    in[i] |= static_cast<uint8_t>(kept);
  });
  int64_t differing = 0;
  for_each([&](size_t o, size_t i, bool kept) {
    if (kept != (out[o] != 0 && in[i] != 0)) ++differing;
  });
  return differing;
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
  if (mask.kind == Mask::Kind::kDense) result.misplaced = result.weights - result.kept;
  if (mask.kind == Mask::Kind::kChannel && result.weights > 0)
    result.misplaced = off_channels(mask);
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

std::string rule_text(Mask::Kind kind, const NmPattern& pattern) {
  switch (kind) {
    case Mask::Kind::kDense:
      return "dense";
    case Mask::Kind::kNm:
      return pattern.text();
    case Mask::Kind::kUnstructured:
      return "unstructured";
    case Mask::Kind::kChannel:
      return "channel";
  }
  throw Bug("a mask has an unknown rule");
}

BlockLayout no_blocks(const WeightShape& shape) {
  BlockLayout layout;
  layout.numel = shape.numel();
  layout.n_channels = shape.cout;
  layout.channel_stride = shape.cin * shape.kh * shape.kw;
  layout.rows = shape.kh * shape.kw;
  return layout;
}

BlockBits probabilistic_sum(const std::vector<int>& draws) {
  BlockBits bits = 0;
  for (const int s : draws) bits |= BlockBits{1} << s;
  return bits;
}

}  // namespace spikenm::nm
