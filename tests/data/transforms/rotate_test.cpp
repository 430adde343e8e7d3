#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::equal_planes;
using test::fold;
using test::numbered_sample;
using test::planes_are_equal;
using test::transformed;

// The angle of sample `index` in a chain of this one transform.
double angle_of(int64_t index, double most) {
  return Draws(1, 0, index, 1).uniform(0, -most, most);
}

// Wanted values are those of PyTorch 2.11 (affine grid and nearest grid_sample, as torchvision's
// rotate on tensors makes them).
TEST(Rotate, TurnsAsTorchvisionDoes) {
  const Sample sample = numbered_sample({1, 1, 4, 5});
  ASSERT_NEAR(angle_of(0, 30), -15.179722665343434, 1e-12);
  EXPECT_EQ(
      transformed("rotate", {}, sample, 0).values,
      (std::vector<float>{6, 2, 3, 4, 5, 11, 7, 8, 9, 5, 16, 12, 13, 14, 10, 16, 17, 18, 19, 15}));
  ASSERT_NEAR(angle_of(5, 30), 27.586806777399033, 1e-12);
  EXPECT_EQ(
      transformed("rotate:30", {}, sample, 5).values,
      (std::vector<float>{0, 3, 4, 10, 10, 1, 7, 8, 14, 15, 6, 7, 13, 14, 20, 11, 11, 17, 18, 0}));
}

TEST(Rotate, TurnsWholeFramesAsTorchvisionDoes) {
  const uint32_t wanted[] = {1752540332u, 4210688922u, 3525829470u,
                             1378739096u, 1848474822u, 806098290u};
  const Sample sample = numbered_sample({1, 1, 48, 48});
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(fold(transformed("rotate:30", {}, sample, i).values), wanted[i]) << angle_of(i, 30);
}

TEST(Rotate, AllPlanesTurnTogether) {
  for (int64_t i = 0; i < 20; ++i)
    EXPECT_TRUE(planes_are_equal(transformed("rotate", {}, equal_planes({3, 2, 9, 8}), i)));
}

TEST(Rotate, AnglesAreUniform) {
  std::vector<int64_t> counts(12);
  for (int64_t i = 0; i < 6000; ++i) ++counts[static_cast<size_t>((angle_of(i, 30) + 30) / 5)];
  EXPECT_TRUE(test::looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(Rotate, SinglePixelStaysWhereItIs) {
  for (int64_t i = 0; i < 20; ++i)
    EXPECT_EQ(transformed("rotate:180", {}, numbered_sample({}), i).values[0], 1);
}

TEST(Rotate, LinesKeepTheirMiddle) {
  for (const SampleShape& shape : {SampleShape{1, 1, 1, 7}, SampleShape{1, 1, 7, 1}})
    for (int64_t i = 0; i < 20; ++i)
      EXPECT_EQ(transformed("rotate:180", {}, numbered_sample(shape), i).values[3], 4);
}

TEST(Rotate, NoAngleChangesNothing) {
  const Sample sample = numbered_sample({1, 2, 5, 4});
  EXPECT_EQ(transformed("rotate:0", {}, sample, 0).values, sample.values);
}

TEST(Rotate, RefusesMoreThanHalfATurn) {
  EXPECT_ERROR(transformed("rotate:181", {}, numbered_sample({}), 0), "'rotate:181'",
               "found 181, wanted a number from 0 to 180");
}

}  // namespace
}  // namespace spikenm::data
