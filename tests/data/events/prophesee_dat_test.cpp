#include "spikenm/data/events/prophesee_dat.h"

#include "spikenm/core/file.h"
#include "support/event_files.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using namespace test;

Recording read(const std::string& file) {
  const std::vector<uint8_t> bytes = test::exactly(file);
  Recording recording;
  read_prophesee_dat(bytes, "a.dat", recording);
  return recording;
}

TEST(PropheseeDat, EventsComeBack) {
  const std::vector<Event> events = some_events(1000, 1280, 720);
  const Recording recording = read(prophesee_dat_file(events));
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 0);
}

TEST(PropheseeDat, BitsOfAnEventAreWherePropheseePutsThem) {
  // 1 µs at x 0x19, y 8, ON.
  const std::string word("\x01\x00\x00\x00\x19\x00\x02\x10", 8);
  const Recording recording = read("% Version 2\n" + std::string(1, '\0') + "\x08" + word);
  ASSERT_EQ(recording.events.size(), 1u);
  EXPECT_EQ(recording.events[0], (Event{.t = 1, .x = 0x19, .y = 8, .on = 1}));
}

TEST(PropheseeDat, FilesBeforeVersion2KeepNineBitsOfX) {
  const std::string word = le<uint32_t>(7) + le<uint32_t>(1 << 17 | 201 << 9 | 303);
  for (const char* header : {"% Version 1\n", "% Data file\n"}) {
    const Recording recording = read(header + std::string("\0\x08", 2) + word);
    ASSERT_EQ(recording.events.size(), 1u);
    EXPECT_EQ(recording.events[0], (Event{.t = 7, .x = 303, .y = 201, .on = 1}));
  }
}

TEST(PropheseeDat, SensorIsWhatTheHeaderSays) {
  std::vector<Event> events = some_events(100, 304, 240);
  const std::string header = "% Version 2\r\n% Width 304\n% Height 240\n";
  const Recording recording = read(prophesee_dat_file(events, header));
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 304);
  EXPECT_EQ(recording.height, 240);
  events[42].x = 304;
  EXPECT_ERROR(read(prophesee_dat_file(events, header)), "a.dat: event 42 ", "304 x 240");
}

TEST(PropheseeDat, TimeRunsOnWhereTheCounterWraps) {
  std::vector<Event> events = some_events(50, 100, 100, (int64_t{1} << 32) - 200);
  EXPECT_EQ(read(prophesee_dat_file(events)).events, events);
  ASSERT_GT(events.back().t, int64_t{1} << 32);
}

TEST(PropheseeDat, DataMayLookLikeAHeaderLine) {
  // The first event reads "%abc\ndef".
  const Recording recording = read(std::string("% Version 2\n\0\x08%abc\ndef", 22));
  EXPECT_EQ(recording.events.size(), 1u);
}

TEST(PropheseeDat, FileWithoutEventsGivesNone) {
  EXPECT_TRUE(read(prophesee_dat_file({})).events.empty());
}

TEST(PropheseeDat, EveryCutIsRefusedOrAtAnEventsEnd) {
  const std::string header = "% Version 2\n% Width 99\n";
  const std::string whole = prophesee_dat_file(some_events(3, 50, 50), header);
  for (size_t n = 0; n < whole.size(); ++n) {
    const size_t begin = header.size() + 2;
    if (n >= begin && (n - begin) % 8 == 0) {
      EXPECT_EQ(read(whole.substr(0, n)).events.size(), (n - begin) / 8);
    } else {
      EXPECT_ERROR(read(whole.substr(0, n)), "a.dat: ");
    }
  }
}

TEST(PropheseeDat, OtherEventsAreRefused) {
  EXPECT_ERROR(read(std::string("% Version 2\n\x0e\x08", 14)), "a.dat: found events of type 14");
  EXPECT_ERROR(read(std::string("% Version 2\n\x0c\x10", 14)), "16 bytes");
}

TEST(PropheseeDat, NumbersThatAreNoneAreRefused) {
  for (const char* line : {"Width -1", "Width 12x", "Height x", "Width 99999999999", "Version 2.0"})
    EXPECT_ERROR(read("% " + std::string(line) + "\n" + std::string("\0\x08", 2)), "a.dat", line);
}

TEST(PropheseeDat, RealRecordingIsWhole) {
  const auto path = real_file("ncars.dat");
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  const Recording recording = read(read_file(path));
  ASSERT_EQ(recording.events.size(), 2009u);
  EXPECT_EQ(recording.events.front().t, 0);
  EXPECT_EQ(recording.events.back().t, 99952);
  int64_t on = 0, x = 0, y = 0, before = 0;
  for (const Event& e : recording.events) {
    ASSERT_GE(e.t, before);
    before = e.t;
    ASSERT_LE(e.x, 77);
    ASSERT_LE(e.y, 41);
    on += e.on, x += e.x, y += e.y;
  }
  EXPECT_EQ(on, 1350);
  EXPECT_EQ(x, 93457);
  EXPECT_EQ(y, 40463);
}

}  // namespace
}  // namespace spikenm::data
