#include "spikenm/data/transforms/normalize.h"
#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::equal_planes;
using test::looks_uniform;
using test::numbered_sample;
using test::transformed;

// Rows [top,bottom) and columns [left,right) of the hole in the first plane; checks that it is
// blank in every plane and that nothing else changed.
struct Hole {
  int64_t top, bottom, left, right;
};
Hole find_hole(const Sample& before, const Sample& after, float fill) {
  const auto [T, C, H, W] = before.shape;
  Hole hole{H, 0, W, 0};
  for (int64_t i = 0; i < H * W; ++i) {
    if (after.values[static_cast<size_t>(i)] == before.values[static_cast<size_t>(i)]) continue;
    hole = {std::min(hole.top, i / W), std::max(hole.bottom, i / W + 1), std::min(hole.left, i % W),
            std::max(hole.right, i % W + 1)};
  }
  for (int64_t i = 0; i < before.shape.size(); ++i) {
    const int64_t y = i / W % H, x = i % W;
    const bool inside = y >= hole.top && y < hole.bottom && x >= hole.left && x < hole.right;
    EXPECT_EQ(after.values[static_cast<size_t>(i)],
              inside ? fill : before.values[static_cast<size_t>(i)]);
  }
  return hole;
}

TEST(Cutout, HoleHasItsCentreOnAnyPixelAndIsCutAtTheBorder) {
  const Sample sample = numbered_sample({2, 2, 6, 5});
  const TransformContext context{.shape = sample.shape};
  std::vector<int64_t> counts(30);
  for (int64_t i = 0; i < 6000; ++i) {
    const Hole hole = find_hole(sample, transformed("cutout:4", context, sample, i), 0);
    // The centre follows from the side that is not cut.
    const int64_t y = hole.top > 0 ? hole.top + 2 : hole.bottom - 2;
    const int64_t x = hole.left > 0 ? hole.left + 2 : hole.right - 2;
    ASSERT_EQ(hole.bottom, std::min<int64_t>(6, y + 2));
    ASSERT_EQ(hole.right, std::min<int64_t>(5, x + 2));
    ++counts[static_cast<size_t>(y * 5 + x)];
  }
  EXPECT_TRUE(looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(Cutout, OddHolesAreAsWideAsTold) {
  const Sample sample = numbered_sample({1, 1, 9, 9});
  int64_t widest = 0;
  for (int64_t i = 0; i < 100; ++i) {
    const Hole hole =
        find_hole(sample, transformed("cutout:3", {.shape = sample.shape}, sample, i), 0);
    widest = std::max(widest, hole.right - hole.left);
  }
  EXPECT_EQ(widest, 3);
}

TEST(Cutout, EventFramesLoseAThirdOfEachSideUnlessTold) {
  const Sample sample = equal_planes({3, 2, 12, 48});
  const TransformContext context{.shape = sample.shape, .events = true};
  int64_t tallest = 0, widest = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const Hole hole = find_hole(sample, transformed("cutout", context, sample, i), 0);
    tallest = std::max(tallest, hole.bottom - hole.top);
    widest = std::max(widest, hole.right - hole.left);
  }
  EXPECT_EQ(tallest, 4);
  EXPECT_EQ(widest, 16);
}

TEST(Cutout, HoleInAnImageIsZeroOnceNormalised) {
  const std::vector<double> mean = {0.4914, 0.4822, 0.4465}, std = {0.2023, 0.1994, 0.2010};
  const Sample sample = equal_planes({1, 3, 8, 8});
  const TransformContext context{.shape = sample.shape, .mean = mean};
  // 32 covers the whole image wherever its centre lies.
  Sample found = transformed("cutout:32", context, sample, 0);
  normalize(found, mean, std);
  for (const float v : found.values) EXPECT_NEAR(v, 0, 1e-6);
}

TEST(Cutout, HoleMayBeLargerThanTheSample) {
  for (const SampleShape& shape : {SampleShape{1, 1, 1, 1}, SampleShape{2, 2, 3, 1}}) {
    const Sample found = transformed("cutout:65535", {.shape = shape}, numbered_sample(shape), 0);
    for (const float v : found.values) EXPECT_EQ(v, 0);
  }
}

TEST(Cutout, RefusesBadSidesAndMeans) {
  const Sample sample = numbered_sample({1, 3, 2, 2});
  EXPECT_ERROR(transformed("cutout:0", {.shape = sample.shape}, sample, 0), "'cutout:0'",
               "from 1 to 65535");
  EXPECT_ERROR(transformed("cutout", {.shape = sample.shape, .mean = {0.5}}, sample, 0),
               "found 1 mean colours", "3 channels");
}

}  // namespace
}  // namespace spikenm::data
