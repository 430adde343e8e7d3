#include "spikenm/data/event_camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace spikenm::data {
namespace {

using Frame = std::vector<float>;  // OFF pixels, then ON pixels

EventCamera camera_of(int64_t height, int64_t width, double threshold, double noise_rate = 0) {
  return EventCamera(
      {.height = height, .width = width, .threshold = threshold, .noise_rate = noise_rate});
}

// An image whose log intensities are these.
std::vector<float> image(const std::vector<double>& logs) {
  std::vector<float> intensities;
  for (const double level : logs) intensities.push_back(static_cast<float>(std::exp(level)));
  return intensities;
}

float sum(const Frame& frame) {
  return std::accumulate(frame.begin(), frame.end(), 0.0F);
}

TEST(EventCamera, TheFirstImageCausesNoEvents) {
  EventCamera camera = camera_of(1, 3, 0.2);
  Frame frame(6, 0);
  camera.observe(image({5, -5, 0}), frame.data());
  EXPECT_EQ(frame, Frame(6, 0));
}

TEST(EventCamera, BrighterIsOnAndDarkerIsOffOneEventAThreshold) {
  EventCamera camera = camera_of(1, 3, 0.2);
  Frame frame(6, 0);
  camera.observe(image({0, 0, 0}), frame.data());
  camera.observe(image({0.5, -0.7, 0.1}), frame.data());
  EXPECT_EQ(frame, (Frame{0, 3, 0, 2, 0, 0}));
}

TEST(EventCamera, SlowChangesAddUpUntilTheyReachTheThreshold) {
  EventCamera camera = camera_of(1, 1, 0.2);
  std::vector<float> counts;
  for (const double level : {0.0, 0.15, 0.3, 0.35, 0.45}) {
    Frame frame(2, 0);
    camera.observe(image({level}), frame.data());
    counts.push_back(frame[1]);
  }
  // The event at 0.3 moves the pixel's reference to 0.2, so the next one comes past 0.4.
  EXPECT_EQ(counts, (std::vector<float>{0, 0, 1, 0, 1}));
}

TEST(EventCamera, EventsAddToTheFrame) {
  EventCamera camera = camera_of(1, 2, 0.1);
  Frame frame{0, 0, 7, 254};
  camera.observe(image({0, 0}), frame.data());
  camera.observe(image({0.35, 0.35}), frame.data());
  EXPECT_EQ(frame, (Frame{0, 0, 10, 257}));
}

TEST(EventCamera, NoiseComesAtItsRateInBothPolarities) {
  const EventCamera camera = camera_of(100, 100, 0.2, 0.1);
  Frame frame(20000, 0);
  camera.add_noise(RandomAddress(1, 2), 0, frame.data());
  const Frame off(frame.begin(), frame.begin() + 10000), on(frame.begin() + 10000, frame.end());
  EXPECT_NEAR(sum(on), 1000, 150);  // five standard deviations of 30
  EXPECT_NEAR(sum(off), 1000, 150);
}

TEST(EventCamera, NoiseIsAddressedByStreamAndFrame) {
  const EventCamera camera = camera_of(20, 20, 0.2, 0.3);
  const auto noise = [&](uint64_t seed, int64_t frame_index) {
    Frame frame(800, 0);
    camera.add_noise(RandomAddress(seed, 2), frame_index, frame.data());
    return frame;
  };
  EXPECT_EQ(noise(1, 3), noise(1, 3));
  EXPECT_NE(noise(1, 3), noise(1, 4));
  EXPECT_NE(noise(1, 3), noise(2, 3));
}

TEST(EventCamera, NoiseStaysInsideAFrameOfAnySize) {
  for (int64_t width = 1; width <= 5; ++width) {
    const EventCamera camera = camera_of(1, width, 0.2, 1.0);
    const auto n = static_cast<size_t>(2 * width);
    Frame frame(n + 8, 0);
    camera.add_noise(RandomAddress(1, 2), 5, frame.data());
    EXPECT_EQ(Frame(frame.begin(), frame.begin() + 2 * width), Frame(n, 1)) << width;
    EXPECT_EQ(Frame(frame.begin() + 2 * width, frame.end()), Frame(8, 0)) << width;
  }
}

}  // namespace
}  // namespace spikenm::data
