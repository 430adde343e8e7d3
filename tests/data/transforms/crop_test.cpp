#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::looks_uniform;
using test::numbered_sample;
using test::transformed;

// What lies at (y + dy, x + dx) of the sample padded with zeros.
std::vector<float> window(const Sample& sample, int64_t dy, int64_t dx) {
  const auto [T, C, H, W] = sample.shape;
  std::vector<float> values;
  for (int64_t p = 0; p < T * C; ++p)
    for (int64_t y = dy; y < H + dy; ++y)
      for (int64_t x = dx; x < W + dx; ++x)
        values.push_back(y >= 0 && y < H && x >= 0 && x < W
                             ? sample.values[static_cast<size_t>((p * H + y) * W + x)]
                             : 0);
  return values;
}

TEST(Crop, EveryWindowOfThePaddedSampleIsEquallyLikely) {
  const Sample sample = numbered_sample({2, 3, 7, 5});
  const TransformContext context{.shape = sample.shape};
  std::vector<int64_t> counts(25);
  for (int64_t i = 0; i < 5000; ++i) {
    const Sample found = transformed("crop:2", context, sample, i);
    ASSERT_EQ(found.shape, sample.shape);
    int64_t place = 0;
    while (place < 25 && found.values != window(sample, place / 5 - 2, place % 5 - 2)) ++place;
    ASSERT_LT(place, 25) << "sample " << i << " is no window";
    ++counts[static_cast<size_t>(place)];
  }
  EXPECT_TRUE(looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(Crop, PaddingMayBeWiderThanTheSample) {
  for (const SampleShape& shape : {SampleShape{1, 1, 1, 1}, SampleShape{1, 2, 3, 1},
                                   SampleShape{2, 1, 1, 4}, SampleShape{1, 1, 2, 3}}) {
    const Sample sample = numbered_sample(shape);
    for (int64_t i = 0; i < 200; ++i) {
      const Sample found = transformed("crop:4", {.shape = shape}, sample, i);
      bool is_window = false;
      for (int64_t dy = -4; dy <= 4; ++dy)
        for (int64_t dx = -4; dx <= 4; ++dx)
          is_window = is_window || found.values == window(sample, dy, dx);
      ASSERT_TRUE(is_window);
    }
  }
}

TEST(Crop, PadsFourPixelsUnlessTold) {
  const Sample sample = numbered_sample({1, 1, 12, 12});
  for (int64_t i = 0; i < 50; ++i)
    EXPECT_EQ(transformed("crop", {}, sample, i).values,
              transformed("crop:4", {}, sample, i).values);
}

TEST(Crop, PaddingOfZeroChangesNothing) {
  const Sample sample = numbered_sample({1, 1, 3, 3});
  EXPECT_EQ(transformed("crop:0", {}, sample, 0).values, sample.values);
}

TEST(Crop, RefusesOtherPaddings) {
  const Sample sample = numbered_sample({1, 1, 3, 3});
  EXPECT_ERROR(transformed("crop:-1", {}, sample, 0), "data.augment: 'crop:-1': argument 1",
               "found -1", "wanted a whole number from 0 to 65535");
  EXPECT_ERROR(transformed("crop:1.5", {}, sample, 0), "found 1.5, wanted a whole number");
  EXPECT_ERROR(transformed("crop:1e300", {}, sample, 0), "found 1e+300");
  EXPECT_ERROR(transformed("crop:4:4", {}, sample, 0), "found 2 arguments, wanted at most 1");
}

}  // namespace
}  // namespace spikenm::data
