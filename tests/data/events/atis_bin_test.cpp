#include "spikenm/data/events/atis_bin.h"

#include "spikenm/core/file.h"
#include "support/event_files.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using namespace test;

Recording read(const std::string& file) {
  const std::vector<uint8_t> bytes = test::exactly(file);
  Recording recording;
  read_atis_bin(bytes, "a.bin", recording);
  return recording;
}

TEST(AtisBin, EventsComeBack) {
  const std::vector<Event> events = some_events(1000, 34, 34);
  const Recording recording = read(atis_bin_file(events));
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 0);
  EXPECT_EQ(recording.height, 0);
}

TEST(AtisBin, BitsOfAnEventAreWhereNMnistPutsThem) {
  const Recording recording = read(std::string("\x07\x0f\x80\x02\x8e\xff\xef\x7f\xff\xfe", 10));
  ASSERT_EQ(recording.events.size(), 2u);
  EXPECT_EQ(recording.events[0], (Event{.t = 654, .x = 7, .y = 15, .on = 1}));
  EXPECT_EQ(recording.events[1], (Event{.t = 0x7ffffe, .x = 255, .y = 239, .on = 0}));
}

TEST(AtisBin, OverflowMarksMoveTheClockAndAreNoEvents) {
  const std::string file = atis_word(1, 2, 1, 100) + atis_word(5, 240, 1, 7) +
                           atis_word(3, 4, 0, 200) + atis_word(0, 240, 0, 0) +
                           atis_word(0, 240, 0, 0) + atis_word(3, 241, 0, 1);
  const std::vector<Event> wanted = {{.t = 100, .x = 1, .y = 2, .on = 1},
                                     {.t = 200 + 8192, .x = 3, .y = 4, .on = 0},
                                     {.t = 1 + 3 * 8192, .x = 3, .y = 241, .on = 0}};
  EXPECT_EQ(read(file).events, wanted);
}

TEST(AtisBin, TimesBeyondTheClockComeBack) {
  std::vector<Event> events = some_events(3, 34, 34);
  events[1].t = 0x7fffff;
  events[2].t = 20'000'000;
  EXPECT_EQ(read(atis_bin_file(events)).events, events);
}

TEST(AtisBin, EmptyFileAndMarksAloneGiveNoEvents) {
  EXPECT_TRUE(read("").events.empty());
  EXPECT_TRUE(read(atis_word(0, 240, 0, 0)).events.empty());
}

TEST(AtisBin, EveryCutIsRefusedOrAtAnEventsEnd) {
  const std::string whole = atis_bin_file(some_events(4, 34, 34));
  for (size_t n = 0; n < whole.size(); ++n) {
    if (n % 5 == 0) {
      EXPECT_EQ(read(whole.substr(0, n)).events.size(), n / 5);
    } else {
      EXPECT_ERROR(read(whole.substr(0, n)), "a.bin: cut short");
    }
  }
}

TEST(AtisBin, RecordingIsRefilled) {
  Recording recording{.events = some_events(100, 9, 9), .width = 9, .height = 9};
  const std::vector<Event> events = some_events(3, 34, 34);
  read_atis_bin(as_bytes(atis_bin_file(events)), "a.bin", recording);
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 0);
}

struct Real {
  const char* name;
  size_t events;
  int64_t first, last, on, x, y;
  uint16_t side;
};

class AtisBinReal : public testing::TestWithParam<Real> {};

TEST_P(AtisBinReal, RecordingIsWhole) {
  const Real& real = GetParam();
  const auto path = real_file(real.name);
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  const Recording recording = read(read_file(path));
  ASSERT_EQ(recording.events.size(), real.events);
  EXPECT_EQ(recording.events.front().t, real.first);
  EXPECT_EQ(recording.events.back().t, real.last);
  int64_t on = 0, x = 0, y = 0, before = 0;
  for (const Event& e : recording.events) {
    ASSERT_GE(e.t, before);
    before = e.t;
    ASSERT_LT(std::max(e.x, e.y), real.side);
    on += e.on, x += e.x, y += e.y;
  }
  EXPECT_EQ(on, real.on);
  EXPECT_EQ(x, real.x);
  EXPECT_EQ(y, real.y);
}

INSTANTIATE_TEST_SUITE_P(
    Files, AtisBinReal,
    testing::Values(Real{"nmnist.bin", 4325, 654, 311175, 2145, 74457, 71931, 34},
                    Real{"gesture_128.bs2", 63471, 28, 1449996, 32164, 3955662, 5423391, 128}),
    [](const auto& real) { return std::string(real.param.side == 34 ? "NMnist" : "Bs2"); });

}  // namespace
}  // namespace spikenm::data
