#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::looks_uniform;
using test::numbered_sample;
using test::transformed;

std::vector<float> rolled(const Sample& sample, int64_t down, int64_t right) {
  const auto [T, C, H, W] = sample.shape;
  std::vector<float> values;
  for (int64_t p = 0; p < T * C; ++p)
    for (int64_t y = 0; y < H; ++y)
      for (int64_t x = 0; x < W; ++x)
        values.push_back(sample.values[static_cast<size_t>((p * H + ((y - down) % H + H) % H) * W +
                                                           ((x - right) % W + W) % W)]);
  return values;
}

TEST(Roll, EveryShiftIsEquallyLikelyAndWrapsAround) {
  const Sample sample = numbered_sample({2, 2, 7, 6});
  std::vector<int64_t> counts(25);
  for (int64_t i = 0; i < 5000; ++i) {
    const Sample found = transformed("roll:2", {}, sample, i);
    int64_t place = 0;
    while (place < 25 && found.values != rolled(sample, place / 5 - 2, place % 5 - 2)) ++place;
    ASSERT_LT(place, 25) << "sample " << i << " is not rolled";
    ++counts[static_cast<size_t>(place)];
  }
  EXPECT_TRUE(looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(Roll, ShiftsMayBeLongerThanTheSample) {
  for (const SampleShape& shape :
       {SampleShape{1, 1, 1, 1}, SampleShape{1, 2, 3, 1}, SampleShape{1, 1, 2, 3}}) {
    const Sample sample = numbered_sample(shape);
    for (int64_t i = 0; i < 100; ++i) {
      const Sample found = transformed("roll:65535", {}, sample, i);
      bool is_rolled = false;
      for (int64_t dy = 0; dy < shape.height; ++dy)
        for (int64_t dx = 0; dx < shape.width; ++dx)
          is_rolled = is_rolled || found.values == rolled(sample, dy, dx);
      ASSERT_TRUE(is_rolled);
    }
  }
}

TEST(Roll, RefusesBadShifts) {
  EXPECT_ERROR(transformed("roll:-5", {}, numbered_sample({}), 0), "'roll:-5'", "found -5");
}

}  // namespace
}  // namespace spikenm::data
