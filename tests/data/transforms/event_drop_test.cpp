#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::looks_uniform;
using test::transformed;

constexpr SampleShape kShape{10, 2, 16, 20};
const TransformContext kEvents{.shape = kShape, .events = true};

Sample constant(float count, const SampleShape& shape = kShape) {
  return {.shape = shape, .values = std::vector<float>(static_cast<size_t>(shape.size()), count)};
}

// What happened: the first draw of the transform says so.
enum class Kind { kNothing, kRandom, kTime, kArea };
Kind kind_of(int64_t index) {
  return static_cast<Kind>(Draws(1, 0, index, 1).below(0, 4));
}
double share_of(int64_t index, double most) {
  return Draws(1, 0, index, 1).uniform(1, 0, most);
}

TEST(EventDrop, DoesOneOfFourThingsEquallyOften) {
  std::vector<int64_t> counts(4);
  for (int64_t i = 0; i < 400; ++i) {
    const Sample found = transformed("event-drop", kEvents, constant(40), i);
    ASSERT_EQ(found.shape, kShape);
    const bool changed = found.values != constant(40).values;
    const bool some_zero = std::count(found.values.begin(), found.values.end(), 0.0f) > 0;
    for (const float v : found.values) ASSERT_LE(v, 40);
    switch (kind_of(i)) {
      case Kind::kNothing:
        EXPECT_FALSE(changed);
        break;
      case Kind::kRandom:
        EXPECT_FALSE(some_zero);
        break;
      default:
        EXPECT_TRUE(some_zero);
    }
    ++counts[static_cast<size_t>(kind_of(i))];
  }
  EXPECT_TRUE(looks_uniform(counts)) << testing::PrintToString(counts);
}

TEST(EventDrop, TimeDropClearsARunOfFrames) {
  const size_t frame = 2 * 16 * 20;
  std::vector<int64_t> lengths(11);
  for (int64_t i = 0; i < 400; ++i) {
    if (kind_of(i) != Kind::kTime) continue;
    const Sample found = transformed("event-drop:0.9", kEvents, constant(1), i);
    std::string pattern;  // one letter per frame
    for (size_t t = 0; t < 10; ++t) {
      const float first = found.values[t * frame];
      pattern += first == 0 ? 'x' : '.';
      EXPECT_EQ(
          std::count(found.values.begin() + static_cast<std::ptrdiff_t>(t * frame),
                     found.values.begin() + static_cast<std::ptrdiff_t>((t + 1) * frame), first),
          static_cast<std::ptrdiff_t>(frame));
    }
    const size_t length = pattern.find_last_of('x') - pattern.find('x') + 1;
    EXPECT_EQ(pattern.find(std::string(length, 'x')), pattern.find('x')) << pattern;
    EXPECT_EQ(length, std::max(1.0, std::round(10 * share_of(i, 0.9))));
    ++lengths[length];
  }
  EXPECT_GT(lengths[1], 0);
  EXPECT_GT(lengths[9], 0);
  EXPECT_EQ(lengths[10], 0);
}

TEST(EventDrop, AreaDropClearsOneBoxInEveryPlane) {
  for (int64_t i = 0; i < 200; ++i) {
    if (kind_of(i) != Kind::kArea) continue;
    const Sample found = transformed("event-drop:0.5", kEvents, constant(1), i);
    EXPECT_TRUE(test::planes_are_equal(found));
    int64_t rows = 0, columns = 0, cleared = 0;
    for (int64_t y = 0; y < 16; ++y) {
      const float* const row = found.values.data() + y * 20;
      rows += std::count(row, row + 20, 0.0f) > 0;
      cleared += std::count(row, row + 20, 0.0f);
    }
    for (int64_t x = 0; x < 20; ++x) {
      bool hit = false;
      for (int64_t y = 0; y < 16; ++y)
        hit = hit || found.values[static_cast<size_t>(y * 20 + x)] == 0;
      columns += hit;
    }
    EXPECT_EQ(cleared, rows * columns);
    EXPECT_EQ(rows, std::max(1.0, std::round(16 * share_of(i, 0.5))));
    EXPECT_EQ(columns, std::max(1.0, std::round(20 * share_of(i, 0.5))));
  }
}

// Counts of 1, 5 and 200 are drawn; above 256 the mean is taken.
TEST(EventDrop, RandomDropThinsCountsBinomially) {
  for (const float count : {1.0f, 5.0f, 200.0f}) {
    for (int64_t i = 0; i < 40; ++i) {
      if (kind_of(i) != Kind::kRandom) continue;
      const double lost = share_of(i, 0.9);
      double sum = 0, squares = 0;
      const Sample found = transformed("event-drop:0.9", kEvents, constant(count), i);
      for (const float v : found.values) {
        ASSERT_TRUE(v >= 0 && v <= count && v == std::floor(v)) << v;
        sum += v, squares += v * v;
      }
      const auto n = static_cast<double>(found.values.size());
      const double mean = sum / n, variance = squares / n - mean * mean;
      const double wanted = count * lost * (1 - lost);
      EXPECT_NEAR(mean, count * (1 - lost), 5 * std::sqrt(wanted / n)) << count << " " << lost;
      EXPECT_NEAR(variance, wanted, 0.1 * wanted + 0.01) << count << " " << lost;
    }
  }
}

TEST(EventDrop, RandomDropTakesTheMeanOfLargeCounts) {
  for (int64_t i = 0; i < 40; ++i) {
    if (kind_of(i) != Kind::kRandom) continue;
    for (const float v : transformed("event-drop:0.9", kEvents, constant(1e6f), i).values)
      ASSERT_NEAR(v, 1e6 * (1 - share_of(i, 0.9)), 1.1);
  }
}

TEST(EventDrop, FractionsStayOrGoAsAWhole) {
  for (int64_t i = 0; i < 40; ++i) {
    if (kind_of(i) != Kind::kRandom) continue;
    double kept = 0;
    const Sample found = transformed("event-drop:0.9", kEvents, constant(0.25f), i);
    for (const float v : found.values) {
      ASSERT_TRUE(v == 0 || v == 0.25f) << v;
      kept += v > 0;
    }
    EXPECT_NEAR(kept / static_cast<double>(found.values.size()), 1 - share_of(i, 0.9), 0.04);
  }
}

TEST(EventDrop, LeavesTheOnlyFrameToTheOtherWays) {
  const SampleShape shape{1, 2, 4, 4};
  for (int64_t i = 0; i < 100; ++i) {
    if (kind_of(i) != Kind::kTime) continue;
    const TransformContext context{.shape = shape, .events = true};
    EXPECT_EQ(transformed("event-drop:0.9", context, constant(2, shape), i).values,
              constant(2, shape).values);
  }
}

TEST(EventDrop, WorksOnTheSmallestFrames) {
  for (const SampleShape& shape : {SampleShape{1, 1, 1, 1}, SampleShape{2, 1, 1, 3}})
    for (int64_t i = 0; i < 100; ++i)
      EXPECT_EQ(
          transformed("event-drop", {.shape = shape, .events = true}, constant(1, shape), i).shape,
          shape);
}

TEST(EventDrop, RefusesImagesAndBadShares) {
  EXPECT_ERROR(transformed("event-drop", {.shape = kShape}, constant(1), 0),
               "data.augment: 'event-drop'", "the samples are images");
  EXPECT_ERROR(transformed("event-drop:1", kEvents, constant(1), 0), "from 0.01 to 0.9");
  EXPECT_ERROR(transformed("event-drop:0", kEvents, constant(1), 0), "from 0.01 to 0.9");
}

}  // namespace
}  // namespace spikenm::data
