#include "spikenm/data/frames.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <numeric>

namespace spikenm::data {
namespace {

std::vector<float> frames_of(const std::vector<Event>& events, const FrameOptions& options,
                             int64_t height = 1, int64_t width = 1) {
  const int64_t size = options.frames * options.polarities * height * width;
  std::vector<float> out(static_cast<size_t>(size), 77.0f);  // integrate clears it
  integrate(events, options, height, width, out.data());
  return out;
}

// Events of one pixel, told by their times.
std::vector<Event> at_times(const std::vector<int64_t>& times) {
  std::vector<Event> events;
  for (const int64_t t : times) events.push_back({.t = t});
  return events;
}

std::vector<Event> evenly(int64_t n) {
  std::vector<int64_t> times(static_cast<size_t>(n));
  std::iota(times.begin(), times.end(), int64_t{0});
  return at_times(times);
}

using Counts = std::vector<float>;
constexpr FrameOptions kByNumber{.frames = 4, .polarities = 1};
constexpr FrameOptions kByTime{.frames = 4, .rule = FrameRule::kTime, .polarities = 1};

TEST(Frames, ByNumberEachPieceHasTheSameCountAndTheLastTakesTheRemainder) {
  EXPECT_EQ(frames_of(evenly(8), kByNumber), (Counts{2, 2, 2, 2}));
  EXPECT_EQ(frames_of(evenly(9), kByNumber), (Counts{2, 2, 2, 3}));
  EXPECT_EQ(frames_of(evenly(11), kByNumber), (Counts{2, 2, 2, 5}));
  EXPECT_EQ(frames_of(evenly(4), kByNumber), (Counts{1, 1, 1, 1}));
}

TEST(Frames, ByNumberFewerEventsThanPiecesAllJoinTheLast) {
  EXPECT_EQ(frames_of(evenly(3), kByNumber), (Counts{0, 0, 0, 3}));
  EXPECT_EQ(frames_of(evenly(1), kByNumber), (Counts{0, 0, 0, 1}));
}

TEST(Frames, ByNumberTimesPlayNoPart) {
  EXPECT_EQ(frames_of(at_times({900, 5, 5, 5, 0, -3, 7, 7}), kByNumber), (Counts{2, 2, 2, 2}));
}

TEST(Frames, ByNumberThePiecesFollowTheFile) {
  std::vector<Event> events;
  for (uint16_t x = 0; x < 5; ++x) events.push_back({.t = 10 * x, .x = x});
  const FrameOptions options{.frames = 2, .polarities = 1};
  EXPECT_EQ(frames_of(events, options, 1, 5), (Counts{1, 1, 0, 0, 0, 0, 0, 1, 1, 1}));
}

TEST(Frames, TheirTimesAreThoseOfTheCut) {
  const std::vector<Event> events = at_times({100, 101, 102, 103, 103, 105, 106, 107, 111});
  EXPECT_EQ(frame_begins(events, kByNumber), (std::vector<int64_t>{0, 2, 3, 6}));
  EXPECT_EQ(frame_begins(events, kByTime), (std::vector<int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(frame_begins({}, kByNumber), (std::vector<int64_t>{0, 0, 0, 0}));
}

TEST(Frames, ByTimeEachPieceIsTheFloorOfItsShareOfTheSpan) {
  // Span 8 of 4 pieces: [0,2) [2,4) [4,6) [6,…].
  EXPECT_EQ(frames_of(at_times({0, 1, 2, 3, 3, 5, 6, 7, 8}), kByTime), (Counts{2, 3, 1, 3}));
  // Span 11: steps of 2, not 2.75, so the last piece is 6 to 11.
  EXPECT_EQ(frames_of(at_times({0, 1, 2, 4, 5, 6, 7, 8, 11}), kByTime), (Counts{2, 1, 2, 4}));
}

TEST(Frames, ByTimeTheFirstEventIsTheStartOfTheClock) {
  EXPECT_EQ(frames_of(at_times({1000, 1001, 1002, 1003, 1008}), kByTime), (Counts{2, 2, 0, 1}));
  EXPECT_EQ(frames_of(at_times({-8, -7, -4, -2, 0}), kByTime), (Counts{2, 0, 1, 2}));
}

TEST(Frames, ByTimeAPieceMayBeEmpty) {
  EXPECT_EQ(frames_of(at_times({0, 0, 400}), kByTime), (Counts{2, 0, 0, 1}));
}

TEST(Frames, ByTimeASpanShorterThanThePiecesIsTheLastPiece) {
  EXPECT_EQ(frames_of(at_times({5, 5, 5}), kByTime), (Counts{0, 0, 0, 3}));
  EXPECT_EQ(frames_of(at_times({5}), kByTime), (Counts{0, 0, 0, 1}));
  EXPECT_EQ(frames_of(at_times({5, 6, 8}), kByTime), (Counts{0, 0, 0, 3}));
}

TEST(Frames, ByTimeAnEventOutOfOrderGoesWhereItsTimeFalls) {
  EXPECT_EQ(frames_of(at_times({0, 7, 1, 3, 90, 2, -5, 8}), kByTime), (Counts{3, 2, 0, 3}));
  // The last before the first: no span to cut.
  EXPECT_EQ(frames_of(at_times({9, 5, 1}), kByTime), (Counts{0, 0, 0, 3}));
}

TEST(Frames, ByTimeTheFarthestTimesDoNotOverflow) {
  constexpr int64_t kFar = (int64_t{1} << 60) - 1;
  // Steps of 2^59 - 1, so the third piece begins at -1.
  EXPECT_EQ(frames_of(at_times({-kFar, -2, -1, 0, kFar}), kByTime), (Counts{1, 1, 2, 1}));
  EXPECT_EQ(frames_of(at_times({kFar, 0, -kFar}), kByTime), (Counts{0, 0, 0, 3}));
}

TEST(Frames, OnePieceHoldsEverything) {
  for (const FrameRule rule : {FrameRule::kNumber, FrameRule::kTime}) {
    const FrameOptions options{.frames = 1, .rule = rule, .polarities = 1};
    EXPECT_EQ(frames_of(at_times({3, 4, 99, 12}), options), (Counts{4}));
    EXPECT_EQ(frames_of({}, options), (Counts{0}));
  }
}

TEST(Frames, NoEventsAreBlankFrames) {
  EXPECT_EQ(frames_of({}, kByNumber), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(frames_of({}, kByTime), (Counts{0, 0, 0, 0}));
}

// Three pieces of a 2x3 sensor, one value for every place in [T,P,H,W].
const std::vector<Event> kScene{{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 2, 0, 1},
                                {3, 1, 1, 0}, {4, 1, 1, 1}, {5, 2, 1, 1}};

TEST(Frames, ChannelZeroIsOffAndChannelOneIsOn) {
  EXPECT_EQ(frames_of(kScene, {.frames = 3}, 2, 3), (Counts{2, 0, 0, 0, 0, 0,  // t 0, off
                                                            0, 0, 0, 0, 0, 0,  // t 0, on
                                                            0, 0, 0, 0, 1, 0,  //
                                                            0, 0, 1, 0, 0, 0,  //
                                                            0, 0, 0, 0, 0, 0,  //
                                                            0, 0, 0, 0, 1, 1}));
}

TEST(Frames, OnePolarityCountsBoth) {
  EXPECT_EQ(frames_of(kScene, {.frames = 3, .polarities = 1}, 2, 3),
            (Counts{2, 0, 0, 0, 0, 0, /**/ 0, 0, 1, 0, 1, 0, /**/ 0, 0, 0, 0, 1, 1}));
}

TEST(Frames, BinaryFramesAreZeroAndOne) {
  for (const FrameRule rule : {FrameRule::kNumber, FrameRule::kTime}) {
    FrameOptions options{.frames = 2, .rule = rule};
    const Counts counts = frames_of(kScene, options, 2, 3);
    options.binary = true;
    const Counts binary = frames_of(kScene, options, 2, 3);
    EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 2);
    for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(binary[i], counts[i] > 0 ? 1 : 0);
  }
}

TEST(Frames, EveryEventIsCountedOnceWhateverTheRule) {
  for (const FrameRule rule : {FrameRule::kNumber, FrameRule::kTime}) {
    for (const int64_t T : {1, 2, 3, 7, 10, 100}) {
      for (const int64_t n : {1, 6, 99, 100, 101, 1000}) {
        const Counts counts = frames_of(evenly(n), {.frames = T, .rule = rule, .polarities = 1});
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0f), static_cast<float>(n));
      }
    }
  }
}

TEST(Frames, OptionsAreReadOverTheDatasetsOwn) {
  const FrameOptions own{.frames = 16, .rule = FrameRule::kTime, .binary = true, .resize = 48};
  const FrameOptions kept = read_frame_options({}, own);
  EXPECT_EQ(kept.rule, FrameRule::kTime);
  EXPECT_TRUE(kept.binary);
  EXPECT_EQ(kept.resize, 48);
  const FrameOptions read = read_frame_options(
      Config::from_text("frames_by='number'\nframe_values='counts'\nresize=0", "test"), own);
  EXPECT_EQ(read.rule, FrameRule::kNumber);
  EXPECT_FALSE(read.binary);
  EXPECT_EQ(read.resize, 0);
  EXPECT_EQ(read.frames, 16);
}

TEST(Frames, AWrongOptionNamesItsKey) {
  const auto read = [](const std::string& text) {
    return read_frame_options(Config::from_text("[data]\n" + text, "test").section("data"), {});
  };
  EXPECT_ERROR(read("frames_by='duration'"), "data.frames_by", "duration", "number", "time");
  EXPECT_ERROR(read("frame_values='spikes'"), "data.frame_values", "counts", "binary");
  EXPECT_ERROR(read("resize=-1"), "data.resize", "-1");
}

}  // namespace
}  // namespace spikenm::data
