#include "spikenm/data/datasets/moving_shapes.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spikenm::data {
namespace {

constexpr int64_t kSide = 34, kPixels = kSide * kSide, kFrame = 2 * kPixels;
using Values = std::vector<float>;

std::unique_ptr<Dataset> make(uint64_t seed, int64_t frames = 10, bool shuffle_time = false) {
  return make_moving_shapes({.train_size = 200,
                             .test_size = 100,
                             .frames = frames,
                             .seed = seed,
                             .shuffle_time = shuffle_time});
}

Values read(const Dataset& dataset, int64_t index, Part part = Part::kTrain) {
  Values sample(static_cast<size_t>(dataset.info().sample_size()), 77);
  dataset.read(part, index, sample.data());
  return sample;
}

std::vector<Values> frames_of(const Values& sample) {
  std::vector<Values> frames;
  for (auto at = sample.begin(); at != sample.end(); at += kFrame)
    frames.emplace_back(at, at + kFrame);
  return frames;
}

// Moments of the events of one frame, both polarities together, about the sensor's centre.
struct Moments {
  double x = 0, y = 0, radius = 0, angle = 0;  // angle: of the long axis, in (-pi/2, pi/2]
};

Moments moments(const Values& frame) {
  double n = 1e-9, x = 0, y = 0, r = 0, xx = 0, yy = 0, xy = 0;
  for (int64_t i = 0; i < kFrame; ++i) {
    const double count = frame[static_cast<size_t>(i)];
    const double dx = static_cast<double>(i % kSide) - 16.5;
    const double dy = static_cast<double>(i % kPixels / kSide) - 16.5;
    n += count;
    x += count * dx;
    y += count * dy;
    r += count * std::hypot(dx, dy);
    xx += count * dx * dx;
    yy += count * dy * dy;
    xy += count * dx * dy;
  }
  return {x / n, y / n, r / n, 0.5 * std::atan2(2 * xy, xx - yy)};
}

// How far a class's motion has gone, summed over steps: positive and negative are its two
// directions.
double direction(int64_t kind, const Values& sample) {
  std::vector<Moments> m;
  double mean_x = 0, mean_y = 0;
  for (const Values& frame : frames_of(sample)) {
    m.push_back(moments(frame));
    mean_x += m.back().x;
    mean_y += m.back().y;
  }
  mean_x /= static_cast<double>(m.size());
  mean_y /= static_cast<double>(m.size());
  if (kind == 0) return m.back().x - m.front().x;
  if (kind == 1) return m.back().y - m.front().y;
  if (kind == 3) return m.back().radius - m.front().radius;
  double turned = 0;
  for (size_t t = 1; t < m.size(); ++t) {
    if (kind == 2) {
      turned += std::remainder(m[t].angle - m[t - 1].angle, std::numbers::pi);
    } else {
      const double ax = m[t - 1].x - mean_x, ay = m[t - 1].y - mean_y;
      const double bx = m[t].x - mean_x, by = m[t].y - mean_y;
      turned += ax * by - ay * bx;
    }
  }
  return turned;
}

TEST(MovingShapes, ASampleIsItsSeedPartAndIndex) {
  const auto a = make(3), b = make(3), other = make(4);
  EXPECT_EQ(read(*a, 7), read(*b, 7));
  EXPECT_NE(read(*a, 7), read(*other, 7));
  EXPECT_NE(read(*a, 7), read(*a, 17));  // the same class
  EXPECT_NE(read(*a, 7, Part::kTrain), read(*a, 7, Part::kTest));
}

TEST(MovingShapes, SamplesDoNotDependOnHowManyThereAre) {
  const auto small = make_moving_shapes({.train_size = 20, .test_size = 10, .seed = 3});
  EXPECT_EQ(read(*make(3), 7), read(*small, 7));
}

TEST(MovingShapes, CacheKeysDifferWhereSamplesDo) {
  EXPECT_EQ(make(3)->cache_key(), make(3)->cache_key());
  EXPECT_NE(make(3)->cache_key(), make(4)->cache_key());
  EXPECT_NE(make(3)->cache_key(), make(3, 4)->cache_key());
  EXPECT_NE(make(3)->cache_key(), make(3, 10, true)->cache_key());
}

TEST(MovingShapes, LabelsAreBalancedInBothParts) {
  const auto dataset = make(0);
  for (const Part part : {Part::kTrain, Part::kTest}) {
    std::vector<int64_t> counts(10, 0);
    for (int64_t i = 0; i < dataset->size(part); ++i)
      ++counts.at(static_cast<size_t>(dataset->label(part, i)));
    EXPECT_EQ(counts, std::vector<int64_t>(10, dataset->size(part) / 10));
  }
}

TEST(MovingShapes, SamplesAreTFramesOf2x34x34WithEventsOfBothPolarities) {
  for (const int64_t frames : {1, 4, 10}) {
    const auto dataset = make(0, frames);
    EXPECT_EQ(dataset->info().sample_size(), frames * 2 * 34 * 34);
    EXPECT_EQ(dataset->info().frames, frames);
    EXPECT_TRUE(dataset->info().simulated);
    EXPECT_TRUE(dataset->info().events);
    for (int64_t i = 0; i < 20; ++i) {
      for (const Values& frame : frames_of(read(*dataset, i))) {
        const auto has_events = [](float count) { return count > 0 && count < 77; };
        EXPECT_TRUE(std::any_of(frame.begin(), frame.begin() + kPixels, has_events)) << i;
        EXPECT_TRUE(std::any_of(frame.begin() + kPixels, frame.end(), has_events)) << i;
      }
    }
  }
}

// A disc drifts right and then left, a square falls and rises, a bar turns one way and the other, a
// ring grows and shrinks, a cross circles one way and the other.
TEST(MovingShapes, OddClassesAreEvenOnesBackwardsInTime) {
  const auto dataset = make(0);
  for (int64_t kind = 0; kind < 5; ++kind) {
    int agree = 0;
    double mean[2] = {0, 0};
    for (int64_t i = 0; i < 20; ++i) {
      const double even = direction(kind, read(*dataset, 10 * i + 2 * kind));
      const double odd = direction(kind, read(*dataset, 10 * i + 2 * kind + 1));
      mean[0] += even / 20;
      mean[1] += odd / 20;
      agree += even > 0 && odd < 0 ? 1 : 0;
    }
    EXPECT_GT(mean[0], 0) << kind;
    EXPECT_LT(mean[1], 0) << kind;
    EXPECT_GE(agree, 14) << kind << ": " << mean[0] << " and " << mean[1];
  }
}

TEST(MovingShapes, ShuffledTimeKeepsEveryFrameInAnotherOrder) {
  const auto ordered = make(0), shuffled = make(0, 10, true);
  int moved = 0;
  for (int64_t i = 0; i < 10; ++i) {
    std::vector<Values> a = frames_of(read(*ordered, i)), b = frames_of(read(*shuffled, i));
    moved += a != b ? 1 : 0;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    EXPECT_EQ(a, b) << i;
  }
  EXPECT_GE(moved, 9);
}

TEST(MovingShapes, ShuffledTimeHidesTheDirection) {
  const auto dataset = make(0, 10, true);
  int right = 0;
  for (int64_t i = 0; i < 20; ++i) right += direction(0, read(*dataset, 10 * i)) > 0 ? 1 : 0;
  EXPECT_GE(right, 3);
  EXPECT_LE(right, 17);
}

TEST(MovingShapes, ARootIsRefusedSinceNothingIsRead) {
  const Config config = Config::from_text("root = '/somewhere'", "test");
  EXPECT_ERROR(datasets().find("moving-shapes")(config, {.frames = 4}), "root", "/somewhere",
               "on the fly");
}

}  // namespace
}  // namespace spikenm::data
