#include "spikenm/nm/packed_matrix.h"

#include "spikenm/core/random.h"
#include "support/expect_error.h"

#include <bit>

namespace spikenm::nm {
namespace {

std::vector<uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float v : values) bits.push_back(std::bit_cast<uint32_t>(v));
  return bits;
}

// A mask whose blocks hold 0..n ones at random, tails kept.
Mask random_mask(const WeightShape& shape, const NmPattern& pattern, Axis axis, uint64_t seed,
                 bool share_taps = false) {
  Mask mask{.kind = Mask::Kind::kNm,
            .pattern = pattern,
            .layout = make_layout(shape, pattern, axis, "conv1", share_taps),
            .keep = {}};
  mask.keep.assign(static_cast<size_t>(shape.numel()), 1);
  const RandomAddress random(seed, 0);
  const auto n_masks = static_cast<uint32_t>(count_at_most(pattern));
  for (int64_t b = 0; b < mask.layout.n_blocks; ++b) {
    const uint32_t pick = random.below(static_cast<uint64_t>(b), n_masks + 1);
    const BlockBits bits = pick == n_masks ? 0 : unrank(pattern, pick);
    for (int32_t i = 0; i < mask.layout.members_of(b); ++i) {
      for (int s = 0; s < pattern.m; ++s)
        mask.keep[static_cast<size_t>(mask.layout.start(b) + mask.layout.member(i) +
                                      s * mask.layout.position_stride)] = (bits >> s) & 1;
    }
  }
  return mask;
}

// Random bits as floats: -0.0, infinities and NaNs among them must come back too.
std::vector<float> random_weight(int64_t numel, uint64_t seed) {
  const RandomAddress random(seed, 1);
  std::vector<float> weight;
  for (int64_t i = 0; i < numel; ++i) {
    const uint32_t word = random.word(static_cast<uint64_t>(i));
    weight.push_back(word % 5 == 0 ? -0.0f : std::bit_cast<float>(word));
  }
  return weight;
}

std::vector<float> masked(std::vector<float> weight, const Mask& mask) {
  for (size_t i = 0; i < weight.size(); ++i) {
    if (mask.keep[i] == 0) weight[i] = 0.0f;
  }
  return weight;
}

void expect_round_trip(const WeightShape& shape, const NmPattern& pattern, Axis axis,
                       bool share_taps = false) {
  const Mask mask = random_mask(shape, pattern, axis, 7, share_taps);
  const std::vector<float> weight = random_weight(shape.numel(), 7);
  EXPECT_EQ(bits_of(unpack(pack(weight, mask))), bits_of(masked(weight, mask)))
      << pattern.text() << " share " << pattern.share << " axis " << axis_name(axis) << " ["
      << shape.cout << "," << shape.cin << "," << shape.kh << "," << shape.kw << "]";
}

TEST(PackedMatrix, UnpackInvertsPackBitForBit) {
  for (const NmPattern pattern : {NmPattern{.n = 1, .m = 1}, NmPattern{.n = 2, .m = 4},
                                  NmPattern{.n = 4, .m = 4}, NmPattern{.n = 3, .m = 16}}) {
    for (const int64_t cin : {1, pattern.m - 1, pattern.m, pattern.m + 1, 5 * pattern.m + 2}) {
      for (const int64_t k : {1, 3}) {
        for (const Axis axis : {Axis::kIn, Axis::kFlat})
          expect_round_trip({.cout = 5, .cin = cin, .kh = k, .kw = k}, pattern, axis);
      }
    }
  }
}

TEST(PackedMatrix, UnpackInvertsPackForSharedMasks) {
  for (const int share : {2, 4, 8}) {
    const NmPattern pattern{.n = 2, .m = 4, .share = share};
    expect_round_trip({.cout = 5, .cin = 9, .kh = 3, .kw = 3}, pattern, Axis::kIn);
    expect_round_trip({.cout = 5, .cin = 9, .kh = 3, .kw = 3}, pattern, Axis::kIn, true);
    expect_round_trip({.cout = 5, .cin = 8, .kh = 3, .kw = 3}, pattern, Axis::kFlat);
  }
}

TEST(PackedMatrix, UnpackInvertsPackOfTheWidestBlock) {
  expect_round_trip({.cout = 2, .cin = 130}, {.n = 2, .m = 64}, Axis::kIn);
}

TEST(PackedMatrix, EveryMaskOfABlockComesBack) {
  const NmPattern pattern{.n = 3, .m = 6};
  const std::vector<float> weight{-0.0f, 2, -3, -0.0f, 5, -6};
  for (const BlockBits bits : enumerate_at_most(pattern)) {
    Mask mask = random_mask({.cout = 1, .cin = 6}, pattern, Axis::kIn, 0);
    for (size_t s = 0; s < 6; ++s) mask.keep[s] = (bits >> s) & 1;
    EXPECT_EQ(bits_of(unpack(pack(weight, mask))), bits_of(masked(weight, mask)));
  }
}

TEST(PackedMatrix, DrawingInTheHeaderIsTrue) {
  Mask mask = random_mask({.cout = 1, .cin = 9}, {.n = 2, .m = 4}, Axis::kIn, 0);
  mask.keep = {0, 1, 0, 1, 0, 0, 1, 0, 1};
  const PackedMatrix packed = pack(std::vector<float>{9, 1, 9, 2, 9, 9, 3, 9, 4}, mask);
  EXPECT_EQ(packed.values, (std::vector<float>{1, 2, 3, 0}));
  EXPECT_EQ(packed.positions, (std::vector<uint8_t>{1, 3, 2, 0}));
  EXPECT_EQ(packed.tail, (std::vector<float>{4}));
}

TEST(PackedMatrix, BlockThatKeepsTooMuchIsRefused) {
  Mask mask = random_mask({.cout = 1, .cin = 8}, {.n = 2, .m = 4}, Axis::kIn, 0);
  mask.keep = {1, 1, 1, 0, 0, 0, 0, 0};
  EXPECT_ERROR(pack(std::vector<float>(8), mask), "1 of 2 blocks", "2:4");
}

TEST(PackedMatrix, ChannelThatLeavesItsSharedMaskIsRefused) {
  Mask mask = random_mask({.cout = 2, .cin = 4}, {.n = 2, .m = 4, .share = 2}, Axis::kIn, 0);
  mask.keep = {1, 0, 0, 0, 0, 1, 0, 0};
  EXPECT_ERROR(pack(std::vector<float>(8), mask), "1 of 2 blocks", "2:4");
}

TEST(PackedMatrix, DroppedTailIsRefusedByName) {
  Mask mask = random_mask({.cout = 1, .cin = 5}, {.n = 2, .m = 4}, Axis::kIn, 0);
  mask.keep = {1, 0, 0, 0, 0};
  EXPECT_ERROR(pack(std::vector<float>(5), mask), "1 of 1 tail weights");
}

TEST(PackedMatrix, MaskWithoutAPatternIsRefused) {
  EXPECT_ERROR(pack(std::vector<float>(4), Mask::dense(4)), "no N:M pattern");
}

}  // namespace
}  // namespace spikenm::nm
