#include "spikenm/data/transforms/mix.h"

#include "support/compare.h"
#include "support/expect_error.h"
#include "support/samples.h"

#include <algorithm>
#include <numeric>

namespace spikenm::data {
namespace {

constexpr SampleShape kShape{2, 3, 8, 6};
constexpr int64_t kBatch = 5;

Mix draw(const MixOptions& options, int64_t batch, int64_t epoch = 0, int64_t B = kBatch,
         const SampleShape& shape = kShape) {
  return draw_mix(options, shape, B, 1, epoch, batch);
}

// [T,B,C,H,W] of values that all differ.
std::vector<float> numbered_batch() {
  std::vector<float> values(static_cast<size_t>(kBatch * kShape.size()));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

std::vector<float> mixed(const Mix& mix) {
  const std::vector<float> in = numbered_batch();
  std::vector<float> out(in.size(), -1.0f);
  apply_mix(mix, kShape, kBatch, in.data(), out.data());
  return out;
}

TEST(Mix, SharesFollowTheBetaDistribution) {
  for (const double alpha : {0.1, 0.2, 1.0, 5.0, 1000.0}) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 20000; ++i) {
      const double share = draw({.mixup_alpha = alpha}, i).share;
      ASSERT_TRUE(share >= 0 && share <= 1);
      sum += share, squares += share * share;
    }
    const double mean = sum / 20000, variance = squares / 20000 - mean * mean;
    const double wanted = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(wanted / 20000)) << alpha;
    EXPECT_NEAR(variance / wanted, 1, 0.05) << alpha;
  }
}

TEST(Mix, AlphaOfOneIsUniform) {
  std::vector<int64_t> counts(20);
  for (int64_t i = 0; i < 10000; ++i)
    ++counts[static_cast<size_t>(20 * draw({.mixup_alpha = 1}, i).share)];
  EXPECT_TRUE(test::looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(Mix, TinyAlphaKeepsOneOfTheTwo) {
  int64_t own = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    const double share = draw({.mixup_alpha = 1e-6}, i).share;
    ASSERT_TRUE(share < 1e-9 || share > 1 - 1e-9) << share;
    own += share > 0.5;
  }
  EXPECT_TRUE(test::looks_uniform({own, 2000 - own}));
}

TEST(Mix, PartnersAreAPermutationAndEachIsEquallyLikely) {
  std::vector<int64_t> counts(25);
  for (int64_t i = 0; i < 5000; ++i) {
    std::vector<int64_t> partner = draw({.mixup_alpha = 1}, i).partner;
    for (size_t b = 0; b < 5; ++b) ++counts[5 * b + static_cast<size_t>(partner[b])];
    std::sort(partner.begin(), partner.end());
    ASSERT_EQ(partner, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  }
  EXPECT_TRUE(test::looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(Mix, DependsOnSeedEpochAndBatchAlone) {
  const MixOptions options{.mixup_alpha = 0.5, .cutmix_alpha = 1};
  EXPECT_EQ(draw(options, 7, 2).share, draw(options, 7, 2).share);
  EXPECT_EQ(draw(options, 7, 2).partner, draw(options, 7, 2).partner);
  EXPECT_NE(draw(options, 7, 2).share, draw(options, 8, 2).share);
  EXPECT_NE(draw(options, 7, 2).share, draw(options, 7, 3).share);
  EXPECT_NE(draw(options, 7, 2).share, draw_mix(options, kShape, kBatch, 2, 2, 7).share);
}

TEST(Mix, MixupAddsTheTwoByTheirShares) {
  const Mix mix{.share = 0.25, .partner = {1, 2, 0, 4, 3}};
  const std::vector<float> in = numbered_batch(), out = mixed(mix);
  const int64_t frame = 3 * 8 * 6;
  for (int64_t t = 0; t < 2; ++t) {
    for (int64_t b = 0; b < kBatch; ++b) {
      for (int64_t k = 0; k < frame; ++k) {
        const auto own = static_cast<size_t>((t * kBatch + b) * frame + k);
        const auto other =
            static_cast<size_t>((t * kBatch + mix.partner[static_cast<size_t>(b)]) * frame + k);
        ASSERT_FLOAT_EQ(out[own], 0.25f * in[own] + 0.75f * in[other]);
      }
    }
  }
}

TEST(Mix, CutMixPastesOneBoxInEveryFrameAndChannel) {
  const Mix mix{.share = 0.75,
                .partner = {4, 3, 2, 1, 0},
                .boxed = true,
                .box = {.top = 2, .bottom = 5, .left = 0, .right = 4}};
  const std::vector<float> in = numbered_batch(), out = mixed(mix);
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t x = static_cast<int64_t>(i) % 6, y = static_cast<int64_t>(i) / 6 % 8;
    const size_t frame = 3 * 8 * 6, b = i / frame % 5;
    const size_t other = i + (static_cast<size_t>(mix.partner[b]) - b) * frame;
    ASSERT_EQ(out[i], y >= 2 && y < 5 && x < 4 ? in[other] : in[i]);
  }
}

TEST(Mix, CutMixShareIsTheAreaThatStays) {
  double sum = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    const Mix mix = draw({.cutmix_alpha = 1}, i);
    const Box& box = mix.box;
    ASSERT_TRUE(mix.boxed);
    ASSERT_TRUE(0 <= box.top && box.top <= box.bottom && box.bottom <= 8);
    ASSERT_TRUE(0 <= box.left && box.left <= box.right && box.right <= 6);
    const int64_t area = int64_t{box.bottom - box.top} * (box.right - box.left);
    ASSERT_DOUBLE_EQ(mix.share, 1 - static_cast<double>(area) / 48);
    sum += mix.share;
  }
  // Boxes are cut at the border and rounded down, so more than half stays.
  EXPECT_GT(sum / 2000, 0.55);
  EXPECT_LT(sum / 2000, 0.85);
}

TEST(Mix, BatchUsesEitherOfTheTwoEquallyOften) {
  int64_t boxes = 0;
  for (int64_t i = 0; i < 4000; ++i)
    boxes += draw({.mixup_alpha = 0.2, .cutmix_alpha = 1}, i).boxed;
  EXPECT_TRUE(test::looks_uniform({boxes, 4000 - boxes})) << boxes;
}

TEST(Mix, NothingIsMixedWhenBothAreOff) {
  const Mix mix = draw({}, 0);
  EXPECT_TRUE(mix.partner.empty());
  EXPECT_EQ(mix.share, 1);
  EXPECT_EQ(mixed(mix), numbered_batch());
}

TEST(Mix, SinglePixelsAndSingleSamplesStayWhole) {
  for (int64_t i = 0; i < 50; ++i) {
    const Mix mix = draw({.cutmix_alpha = 1}, i, 0, 1, {1, 1, 1, 1});
    EXPECT_EQ(mix.partner, std::vector<int64_t>{0});
    EXPECT_EQ(mix.share, 1);
    const float in = 3;
    float out = 0;
    apply_mix(mix, {1, 1, 1, 1}, 1, &in, &out);
    EXPECT_EQ(out, 3);
  }
}

TEST(Mix, RefusesBadAlphas) {
  EXPECT_ERROR(draw({.mixup_alpha = -1}, 0), "mixup: found alpha -1", "from 1e-6 to 1e6");
  EXPECT_ERROR(draw({.cutmix_alpha = 1e-9}, 0), "cutmix: found alpha 1e-09");
  EXPECT_ERROR(draw({.cutmix_alpha = std::nan("")}, 0), "cutmix: found alpha nan");
  EXPECT_ERROR(draw({.mixup_alpha = HUGE_VAL}, 0), "mixup: found alpha inf");
}

}  // namespace
}  // namespace spikenm::data
