#include "spikenm/nm/mask_rule.h"

#include "support/expect_error.h"

namespace spikenm::nm {
namespace {

constexpr Mask::Kind kNm = Mask::Kind::kNm;

// Convolutions and linear layers, with tails and without.
const std::vector<WeightShape> kShapes{
    {8, 4, 3, 3}, {8, 5, 3, 3}, {6, 16, 1, 1}, {6, 18, 1, 1}, {1, 4, 1, 1}};

TEST(MaskRule, IsKnownAgainFromTheBlocksThatItMakes) {
  for (const WeightShape& shape : kShapes)
    for (const Axis axis : {Axis::kIn, Axis::kFlat})
      for (const int share : {1, 3})
        for (const bool share_taps : {false, true}) {
          if (axis == Axis::kFlat && (share_taps || (share > 1 && shape.cin % 4 != 0))) continue;
          const bool has_taps = shape.kh * shape.kw > 1;
          const MaskRule rule{.kind = kNm,
                              .pattern = {.n = 2, .m = 4, .share = share},
                              .axis = axis,
                              .share_taps = share_taps && has_taps};
          const Mask mask = mask_of(rule, shape, "conv1");
          EXPECT_EQ(mask.layout.numel, shape.numel());
          const MaskRule found = rule_of(mask.kind, mask.pattern, mask.layout, shape);
          const Mask again = mask_of(found, shape, "conv1");
          EXPECT_EQ(again.layout.n_blocks, mask.layout.n_blocks);
          for (int64_t b = 0; b < mask.layout.n_blocks; ++b) {
            EXPECT_EQ(again.layout.start(b), mask.layout.start(b));
            ASSERT_EQ(again.layout.members_of(b), mask.layout.members_of(b));
            for (int32_t i = 0; i < mask.layout.members_of(b); ++i)
              EXPECT_EQ(again.layout.member(i), mask.layout.member(i));
          }
          EXPECT_EQ(again.layout.position_stride, mask.layout.position_stride);
          // Blocks that stay in a row of a linear layer may be said in both ways.
          if (axis == Axis::kIn || share == 1 || has_taps) {
            EXPECT_TRUE(found == rule) << found.text() << " for " << rule.text();
          }
        }
}

TEST(MaskRule, WithoutBlocksIsItsKindAlone) {
  const WeightShape shape = kShapes[0];
  for (const Mask::Kind kind :
       {Mask::Kind::kDense, Mask::Kind::kUnstructured, Mask::Kind::kChannel}) {
    const Mask mask = mask_of({.kind = kind, .pattern = {.n = 1, .m = 8}}, shape, "conv1");
    EXPECT_EQ(mask.layout.n_blocks, 0);
    EXPECT_EQ(mask.layout.n_channels, 8);
    const MaskRule found = rule_of(mask.kind, {.n = 3, .m = 4}, mask.layout, shape);
    EXPECT_EQ(found.text(), rule_text(kind, {}));
    EXPECT_TRUE(found == (MaskRule{.kind = kind, .pattern = {.n = 2, .m = 16}}));
  }
}

TEST(MaskRule, SaysWhatMakesItAnotherOne) {
  const MaskRule plain{.kind = kNm, .pattern = {.n = 2, .m = 4}};
  EXPECT_EQ(plain.text(), "2:4 along in");
  MaskRule other = plain;
  other.pattern.share = 4;
  other.share_taps = true;
  EXPECT_EQ(other.text(), "2:4 along in, share 4, share_taps");
  EXPECT_FALSE(other == plain);
  other = plain;
  other.axis = Axis::kFlat;
  EXPECT_EQ(other.text(), "2:4 along flat");
  EXPECT_FALSE(other == plain);
  other = plain;
  other.kind = Mask::Kind::kUnstructured;
  EXPECT_FALSE(other == plain);
}

TEST(MaskRule, ThatDoesNotFitItsLayerIsRefused) {
  EXPECT_ERROR(mask_of({.kind = kNm, .pattern = {}, .axis = Axis::kFlat, .share_taps = true},
                       kShapes[0], "m (masks): conv1"),
               "m (masks): conv1", "axis in");
  EXPECT_ERROR(mask_of({.kind = kNm, .pattern = {.n = 2, .m = 4, .share = 3}, .axis = Axis::kFlat},
                       kShapes[1], "conv1"),
               "conv1", "share 3");
}

}  // namespace
}  // namespace spikenm::nm
