#include "spikenm/data/events/aedat3.h"

#include "spikenm/core/file.h"
#include "support/event_files.h"
#include "support/expect_error.h"
#include "support/temp_dir.h"

namespace spikenm::data {
namespace {

using namespace test;

Recording read(const std::string& file, const TimeWindow& window = {}) {
  const std::vector<uint8_t> bytes = test::exactly(file);
  Recording recording;
  read_aedat3(bytes, "a.aedat", window, recording);
  return recording;
}

TEST(Aedat3, EventsComeBackAcrossPackets) {
  const std::vector<Event> events = some_events(1000, 128, 128);
  for (const size_t per_packet : {1, 7, 999, 1000, 1001}) {
    const Recording recording = read(aedat3_file(events, per_packet));
    EXPECT_EQ(recording.events, events) << per_packet;
    EXPECT_EQ(recording.width, 128);
    EXPECT_EQ(recording.height, 128);
  }
}

TEST(Aedat3, BitsOfAnEventAreWhereCaerPutsThem) {
  // x 3, y 5, ON, valid at 0x04030201 µs: two little-endian words.
  const std::string word("\x17\x00\x06\x00\x01\x02\x03\x04", 8);
  const Recording recording = read(kAedat3Header + aedat3_packet_header(1, 8, 0, 1, 1) + word);
  ASSERT_EQ(recording.events.size(), 1u);
  EXPECT_EQ(recording.events[0], (Event{.t = 0x04030201, .x = 3, .y = 5, .on = 1}));
}

TEST(Aedat3, TimeRunsOnWhereTheClockOverflows) {
  std::vector<Event> events = some_events(50, 128, 128, (int64_t{1} << 31) - 200);
  EXPECT_EQ(read(aedat3_file(events)).events, events);
  ASSERT_GT(events.back().t, int64_t{1} << 31);
  // As late as the format can tell.
  events = {{.t = (int64_t{1} << 62) - 1, .x = 1, .y = 2, .on = 1}};
  EXPECT_EQ(read(aedat3_file(events)).events, events);
}

TEST(Aedat3, OtherPacketsAndEmptyOnesArePassedOver) {
  const std::vector<Event> events = some_events(20, 128, 128);
  const std::span<const Event> all(events);
  const std::string file = kAedat3Header + aedat3_other_packet(0, 8, 3) +
                           aedat3_packet(all.first(5)) + aedat3_other_packet(2, 100, 1) +
                           aedat3_packet({}) + aedat3_other_packet(3, 36, 2) +
                           aedat3_other_packet(7, 0, 5) + aedat3_packet(all.subspan(5));
  EXPECT_EQ(read(file).events, events);
}

TEST(Aedat3, InvalidEventsAreLeftOut) {
  const std::vector<Event> events = some_events(6, 128, 128);
  std::string file = kAedat3Header + aedat3_packet_header(1, 8, 0, 6, 6);
  for (size_t i = 0; i < 6; ++i) file += aedat3_event(events[i], i % 3 != 0);
  EXPECT_EQ(read(file).events, (std::vector<Event>{events[1], events[2], events[4], events[5]}));
}

TEST(Aedat3, CapacityBeyondTheEventsIsPassedOver) {
  const std::vector<Event> events = some_events(2, 128, 128);
  const std::string file = kAedat3Header + aedat3_packet_header(1, 8, 0, 5, 1) +
                           aedat3_event(events[0]) + std::string(4 * 8, '\xff') +
                           aedat3_packet({&events[1], 1});
  EXPECT_EQ(read(file).events, events);
}

TEST(Aedat3, WindowIsHalfOpen) {
  const std::vector<Event> events = some_events(300, 128, 128);
  const std::string file = aedat3_file(events, 32);
  for (const auto& [begin, end] : {std::pair{INT64_MIN, INT64_MAX},
                                   {1500, 2000},
                                   {1000, 1001},
                                   {events[31].t, events[32].t},
                                   {events[32].t, events[64].t},
                                   {0, 1000},
                                   {3990, 99999},
                                   {99999, INT64_MAX},
                                   {2000, 1500}}) {
    std::vector<Event> inside;
    for (const Event& e : events) {
      if (e.t >= begin && e.t < end) inside.push_back(e);
    }
    EXPECT_EQ(read(file, {begin, end}).events, inside) << begin << " to " << end;
  }
}

TEST(Aedat3, AFileGivesWhatItsBytesGive) {
  const TempDir dir;
  const std::vector<Event> events = some_events(3000, 128, 128);
  for (const size_t per_packet : {1, 7, 509, 511, 600, 3000}) {
    write_file_atomically(dir / "a.aedat", aedat3_file(events, per_packet));
    const InputFile file(dir / "a.aedat");
    for (const TimeWindow& window :
         {TimeWindow{}, TimeWindow{events[100].t, events[2000].t}, TimeWindow{0, 1}}) {
      Recording recording;
      read_aedat3(file, window, recording);
      EXPECT_EQ(recording.events, read(read_file(dir / "a.aedat"), window).events) << per_packet;
      EXPECT_EQ(recording.width, 128);
    }
  }
}

TEST(Aedat3, AFileCutWhileItIsOpenIsAnErrorAndNoSignal) {
  const TempDir dir;
  write_file_atomically(dir / "a.aedat", aedat3_file(some_events(3000, 128, 128), 500));
  const InputFile file(dir / "a.aedat");
  for (const uint64_t size : {9000, 10}) {
    std::filesystem::resize_file(dir / "a.aedat", size);
    Recording recording;
    EXPECT_ERROR(read_aedat3(file, {}, recording), "a.aedat: was cut to");
  }
}

TEST(Aedat3, EventsOfPacketsOutsideTheWindowAreNotTouched) {
  std::vector<Event> events = some_events(10, 128, 128);
  events[5].x = 200;  // outside the sensor, an error if it were read
  std::string file = aedat3_file(events, 10);
  EXPECT_ERROR(read(file), "event 5");
  EXPECT_TRUE(read(file, {0, 1000}).events.empty());
  EXPECT_TRUE(read(file, {events.back().t + 1, INT64_MAX}).events.empty());
}

TEST(Aedat3, HeaderAloneGivesNoEvents) {
  const Recording recording = read(kAedat3Header);
  EXPECT_TRUE(recording.events.empty());
  EXPECT_EQ(recording.width, 128);
}

TEST(Aedat3, SensorIsWhatTheHeaderSays) {
  const std::vector<Event> events = some_events(9, 128, 128);
  const std::string packet = aedat3_packet(events);
  Recording recording = read("#!AER-DAT3.1\r\n#Source 0: DAVIS240C\r\n#!END-HEADER\r\n" + packet);
  EXPECT_EQ(recording.width, 240);
  EXPECT_EQ(recording.height, 180);
  // A source that the file was made from is not its own.
  recording = read("#!AER-DAT3.1\n#-Source 0: DAVIS240C\n#!END-HEADER\n" + packet);
  EXPECT_EQ(recording.width, 0);
  EXPECT_EQ(recording.events, events);
}

TEST(Aedat3, EventOutsideTheSensorIsRefusedByItsIndex) {
  std::vector<Event> events = some_events(9, 128, 128);
  events[7].y = 128;
  EXPECT_ERROR(read(aedat3_file(events)), "a.aedat: event 7 ", "y 128", "128 x 128");
}

TEST(Aedat3, EveryCutIsRefusedOrAtAPacketsEnd) {
  const std::vector<Event> events = some_events(6, 128, 128);
  const std::string whole = aedat3_file(events, 2);
  const size_t packet = 28 + 2 * 8;
  for (size_t n = 0; n < whole.size(); ++n) {
    const std::string cut = whole.substr(0, n);
    if (n >= kAedat3Header.size() && (n - kAedat3Header.size()) % packet == 0) {
      EXPECT_EQ(read(cut).events.size(), (n - kAedat3Header.size()) / packet * 2);
    } else if (n > kAedat3Header.size()) {
      EXPECT_ERROR(read(cut), "a.aedat: cut short");
    } else {
      EXPECT_ERROR(read(cut), "a.aedat: found no line '#!END-HEADER'");
    }
  }
}

TEST(Aedat3, HeaderWithoutEndMarkIsRefused) {
  const std::string packet = aedat3_packet(some_events(3, 128, 128));
  EXPECT_ERROR(read("#!AER-DAT3.1\r\n#Format: RAW\r\n" + packet), "END-HEADER");
  EXPECT_ERROR(read(packet), "END-HEADER");
}

TEST(Aedat3, OtherVersionsAndPackedFormatsAreRefused) {
  EXPECT_ERROR(read("#!AER-DAT3.0\r\n#!END-HEADER\r\n"), "a.aedat: found '#!AER-DAT3.0'");
  EXPECT_ERROR(read("#!AER-DAT3.1\r\n#Format: SerializedTS\r\n#!END-HEADER\r\n"), "SerializedTS",
               "wanted RAW");
}

TEST(Aedat3, PacketHeadersThatCannotBeAreRefused) {
  const auto refused = [](int32_t size, int32_t overflow, int32_t capacity, int32_t n,
                          const char* part) {
    const std::string file = kAedat3Header + aedat3_packet_header(1, size, overflow, capacity, n) +
                             std::string(80, '\0');
    EXPECT_ERROR(read(file), "a.aedat", part);
  };
  refused(-8, 0, 1, 1, "cannot be");
  refused(8, -1, 1, 1, "cannot be");
  refused(8, 0, -1, -1, "cannot be");
  refused(8, 0, 1, 2, "cannot be");
  refused(16, 0, 1, 1, "of 16 bytes");
  refused(8, 0, 11, 1, "cut short");
  refused(INT32_MAX, 0, INT32_MAX, INT32_MAX, "cut short");
}

TEST(Aedat3, TimeBelowZeroIsRefused) {
  const std::string event = le<uint32_t>(1) + le<int32_t>(-5);
  const std::string file = kAedat3Header + aedat3_packet_header(1, 8, 0, 1, 1) + event;
  EXPECT_ERROR(read(file), "a.aedat: found a time below 0");
}

}  // namespace
}  // namespace spikenm::data
