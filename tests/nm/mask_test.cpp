#include "spikenm/nm/mask.h"

#include <gtest/gtest.h>

namespace spikenm::nm {
namespace {

Mask nm_mask(const WeightShape& shape, const NmPattern& pattern, std::vector<uint8_t> keep) {
  return {.kind = Mask::Kind::kNm,
          .pattern = pattern,
          .layout = make_layout(shape, pattern, Axis::kIn, "fc"),
          .keep = std::move(keep)};
}

TEST(Mask, DenseKeepsEverything) {
  const MaskAudit found = audit(Mask::dense(5));
  EXPECT_EQ(found.weights, 5);
  EXPECT_EQ(found.kept, 5);
  EXPECT_TRUE(found.valid());
}

TEST(Mask, UnstructuredMaskHasNoRuleToBreak) {
  Mask mask = Mask::dense(4);
  mask.kind = Mask::Kind::kUnstructured;
  mask.keep = {1, 1, 1, 0};
  const MaskAudit found = audit(mask);
  EXPECT_EQ(found.kept, 3);
  EXPECT_EQ(found.blocks, 0);
  EXPECT_TRUE(found.valid());
}

TEST(Mask, AuditCountsEmptyBlocksAndAllowsThem) {
  const MaskAudit found = audit(
      nm_mask({.cout = 1, .cin = 12}, {.n = 2, .m = 4}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(found.blocks, 3);
  EXPECT_EQ(found.empty_blocks, 1);
  EXPECT_EQ(found.kept, 3);
  EXPECT_TRUE(found.valid());
}

TEST(Mask, AuditCountsBlocksThatKeepMoreThanN) {
  const MaskAudit found = audit(
      nm_mask({.cout = 1, .cin = 12}, {.n = 2, .m = 4}, {1, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(found.violating_blocks, 2);
  EXPECT_FALSE(found.valid());
}

TEST(Mask, AuditCountsChannelsThatLeaveTheirSharedMask) {
  const NmPattern pattern{.n = 2, .m = 4, .share = 2};
  const MaskAudit found = audit(
      nm_mask({.cout = 3, .cin = 8}, pattern, {1, 0, 1, 0, 0, 1, 0, 0,     //
                                               1, 0, 1, 0, 1, 0, 0, 0,     // second block strays
                                               0, 0, 0, 1, 0, 0, 1, 1}));  // a group of its own
  EXPECT_EQ(found.blocks, 6);
  EXPECT_EQ(found.unshared_blocks, 1);
  EXPECT_EQ(found.violating_blocks, 0);
  EXPECT_FALSE(found.valid());
}

TEST(Mask, AuditCountsTapsThatLeaveTheirSharedMask) {
  const WeightShape shape{.cout = 2, .cin = 5, .kh = 1, .kw = 2};
  const NmPattern pattern{.n = 2, .m = 4};
  Mask mask = nm_mask(shape, pattern, {1, 1, 0, 0, 1, 1, 0, 0, 1, 1,    // a tail of two
                                       1, 1, 0, 0, 0, 1, 0, 0, 1, 1});  // its second tap strays
  mask.layout = make_layout(shape, pattern, Axis::kIn, "conv", true);
  const MaskAudit found = audit(mask);
  EXPECT_EQ(found.blocks, 4);
  EXPECT_EQ(found.unshared_blocks, 1);
  EXPECT_EQ(found.tail, 4);
  EXPECT_FALSE(found.valid());
  mask.keep[14] = 1;
  EXPECT_TRUE(audit(mask).valid());
}

TEST(Mask, AuditCountsDroppedTails) {
  const MaskAudit found =
      audit(nm_mask({.cout = 2, .cin = 6}, {.n = 2, .m = 4}, {1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(found.tail, 4);
  EXPECT_EQ(found.tail_dropped, 1);
  EXPECT_EQ(found.violating_blocks, 0);
  EXPECT_FALSE(found.valid());
}

TEST(Mask, LayerWithoutBlocksIsValidOnlyWhenDense) {
  const WeightShape shape{.cout = 1, .cin = 3};
  EXPECT_TRUE(audit(nm_mask(shape, {.n = 2, .m = 4}, {1, 1, 1})).valid());
  EXPECT_FALSE(audit(nm_mask(shape, {.n = 2, .m = 4}, {1, 1, 0})).valid());
}

TEST(Mask, ProbabilisticSumIsTheFormulaOfOneHotVectors) {
  const std::vector<int> draws{3, 0, 3};
  const BlockBits bits = probabilistic_sum(draws);
  for (int s = 0; s < 4; ++s) {
    int product = 1;  // Eq. (10): 1 - prod_k (1 - a_k)
    for (const int draw : draws) product *= 1 - (draw == s ? 1 : 0);
    EXPECT_EQ((bits >> s) & 1, static_cast<BlockBits>(1 - product)) << "position " << s;
  }
}

TEST(Mask, ProbabilisticSumReachesTheLastPosition) {
  EXPECT_EQ(probabilistic_sum({63}), BlockBits{1} << 63);
}

TEST(MaskAudit, GoesByTheRuleOfTheMask) {
  const WeightShape shape{2, 3, 1, 2};
  Mask mask{.kind = Mask::Kind::kChannel,
            .layout = no_blocks(shape),
            .keep = {1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0}};  // output 0, inputs 0 and 2
  EXPECT_TRUE(audit(mask).valid());
  mask.keep[11] = 1;  // one weight of output 1: then three of its others are missing
  EXPECT_EQ(audit(mask).misplaced, 3);
  EXPECT_FALSE(audit(mask).valid());
  mask.kind = Mask::Kind::kUnstructured;
  EXPECT_TRUE(audit(mask).valid());
  mask.kind = Mask::Kind::kDense;
  EXPECT_EQ(audit(mask).misplaced, 7);
  EXPECT_TRUE(audit(Mask::dense(12)).valid());
  EXPECT_EQ(rule_text(Mask::Kind::kNm, {.n = 2, .m = 8}), "2:8");
  EXPECT_EQ(rule_text(Mask::Kind::kChannel, {}), "channel");
}

}  // namespace
}  // namespace spikenm::nm
