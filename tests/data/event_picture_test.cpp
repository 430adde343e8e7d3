#include "spikenm/data/event_picture.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace spikenm::data {
namespace {

constexpr int64_t kGap = TileSheet::kGap;
constexpr Colour kWhite{255, 255, 255};

TEST(EventPicture, MoreEventsAreDarkerUpToTheFullCount) {
  EXPECT_EQ(event_colour(0, 0, 4), kWhite);
  int before = 255;
  for (const float count : {0.5f, 1.0f, 2.0f, 4.0f}) {
    const Colour colour = event_colour(0, count, 4);
    EXPECT_LT(colour.blue, before) << count;
    before = colour.blue;
  }
  EXPECT_EQ(event_colour(0, 4, 4), event_colour(0, 1000, 4));
  EXPECT_EQ(event_colour(4, 4), (Colour{0, 0, 0}));
}

TEST(EventPicture, CountsThatAreNoNumbersAreDrawnWithoutHarm) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(event_colour(nan, -1, 4), kWhite);
  EXPECT_EQ(event_colour(inf, 0, inf), event_colour(4, 0, 4));
  EXPECT_EQ(event_colour(1, 0, inf), kWhite);
}

TEST(EventPicture, AHotPixelDoesNotFadeTheRest) {
  std::vector<float> counts(1000, 0);
  for (size_t i = 0; i < 100; ++i) counts[i] = 2;
  counts[500] = 100'000;
  EXPECT_EQ(full_count(counts), 2);
  EXPECT_EQ(full_count(std::vector<float>{0, 7, 0}), 7);
  EXPECT_EQ(full_count(std::vector<float>(5, 0)), 1);
  EXPECT_EQ(full_count({}), 1);
}

TEST(EventPicture, SlicesAreEqualSpansOfTimeOldestFirst) {
  Recording recording{.width = 2, .height = 1};
  recording.events = {{100, 0, 0, 1}, {199, 1, 0, 1}, {200, 0, 0, 0}, {299, 0, 0, 0}};
  const Picture p = draw_events(recording, 2).picture;
  const int64_t factor = TileSheet::kSmallSide / 2, pitch = 2 * factor + kGap;
  EXPECT_EQ(p.width, 2 * pitch + kGap);
  EXPECT_EQ(p.height, factor + 2 * kGap);
  const Colour on_left = p.at(kGap, kGap), on_right = p.at(kGap + factor, kGap);
  EXPECT_GT(on_left.red, on_left.blue + 50);
  EXPECT_GT(on_right.red, on_right.blue + 50);
  const Colour off = p.at(kGap + pitch, kGap);
  EXPECT_GT(off.blue, off.red + 50);
  EXPECT_EQ(p.at(kGap + pitch + factor, kGap), kWhite);
}

TEST(EventPicture, AnUnknownSensorEndsAtItsLargestCoordinates) {
  Recording recording;
  recording.events = {{5, 99, 0, 1}, {5, 0, 199, 1}};
  const Picture p = draw_events(recording, 3).picture;
  EXPECT_EQ(p.width, 3 * (100 + kGap) + kGap);
  EXPECT_EQ(p.height, 200 + 2 * kGap);
  EXPECT_NE(p.at(kGap + 99, kGap), kWhite);
  EXPECT_NE(p.at(kGap, kGap + 199), kWhite);
}

TEST(EventPicture, LargeSensorsAreDrawnSmallerByAWholeFactor) {
  Recording recording{.width = 1280, .height = 720};
  recording.events = {{0, 1279, 719, 1}};
  const Picture p = draw_events(recording, 1).picture;
  EXPECT_EQ(p.width, 427 + 2 * kGap);
  EXPECT_EQ(p.height, 240 + 2 * kGap);
  EXPECT_NE(p.at(kGap + 426, kGap + 239), kWhite);

  recording = {.width = INT32_MAX, .height = INT32_MAX};
  recording.events = {{0, 65535, 65535, 1}};
  EXPECT_LE(draw_events(recording, 1).picture.width, 512 + 2 * kGap);
}

TEST(EventPicture, TimesAtTheEndsOfTheClockDoNotOverflow) {
  Recording recording{.width = 100, .height = 100};
  recording.events = {{INT64_MAX, 0, 0, 1}, {INT64_MIN, 1, 1, 0}};
  const Picture p = draw_events(recording, 4).picture;
  EXPECT_NE(p.at(kGap + 1, kGap + 1), kWhite);
  EXPECT_NE(p.at(kGap + 3 * (100 + kGap), kGap), kWhite);
}

TEST(EventPicture, NoEventsGiveWhiteSlices) {
  const Picture p = draw_events({.width = 100, .height = 100}, 2).picture;
  EXPECT_EQ(p.at(kGap, kGap), kWhite);
  EXPECT_EQ(p.at(kGap + 99, kGap + 99), kWhite);
}

}  // namespace
}  // namespace spikenm::data
