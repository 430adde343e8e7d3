#include "spikenm/data/events/aedat2.h"

#include "spikenm/core/file.h"
#include "support/event_files.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using test::aedat2_file, test::aedat2_word, test::kAedat2DavisHeader, test::kAedat2Header;

Recording read(const std::string& file) {
  const std::vector<uint8_t> bytes = test::exactly(file);
  Recording recording;
  read_aedat2(bytes, "a.aedat", recording);
  return recording;
}

TEST(Aedat2, EventsComeBackUpright) {
  const std::vector<Event> events = test::some_events(1000, 128, 128);
  const Recording recording = read(aedat2_file(events));
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 128);
  EXPECT_EQ(recording.height, 128);
}

TEST(Aedat2, BitsOfAnAddressAreWhereJaerPutsThem) {
  // Raw x 1, raw y 2, raw polarity 1: two big-endian words.
  const std::string word("\x00\x00\x02\x03\x00\x01\x02\x03", 8);
  const Recording recording = read(kAedat2Header + word);
  ASSERT_EQ(recording.events.size(), 1u);
  EXPECT_EQ(recording.events[0], (Event{.t = 0x10203, .x = 126, .y = 125, .on = 0}));
}

TEST(Aedat2, HeaderMayEndLinesEitherWayOrBeAbsent) {
  const std::vector<Event> events = test::some_events(5, 128, 128);
  for (const char* header : {"", "#!AER-DAT2.0\n", "#!AER-DAT2.0\r\n#\r\n# a\tb\n",
                             "# M\xc3\xbcller\n", "# no version\r\n"})
    EXPECT_EQ(read(aedat2_file(events, header)).events, events) << header;
}

TEST(Aedat2, LongLinesOfPreferencesAreHeader) {
  const std::vector<Event> events = test::some_events(5, 128, 128);
  const std::string line = "#<entry value=\"" + std::string(8192, 'v') + "\"/>\r\n";
  EXPECT_EQ(read(aedat2_file(events, kAedat2Header + line)).events, events);
}

TEST(Aedat2, HeaderAloneGivesNoEvents) {
  const Recording recording = read(kAedat2Header);
  EXPECT_TRUE(recording.events.empty());
  EXPECT_EQ(recording.width, 128);
  EXPECT_TRUE(read("").events.empty());
}

TEST(Aedat2, SpecialEventsAreLeftOut) {
  const std::vector<Event> events = test::some_events(3, 128, 128);
  std::string file = kAedat2Header + aedat2_word(0x8000, 1);
  for (const Event& e : events)
    file += aedat2_word(test::dvs128_address(e), e.t) + aedat2_word(0xffff, e.t);
  EXPECT_EQ(read(file).events, events);
}

TEST(Aedat2, TimeRunsOnWhereTheCounterWraps) {
  const int64_t wrap = int64_t{1} << 32;
  // Across the sign bit, across the end, a late event from before it, on, and across once more.
  std::vector<Event> events;
  for (const int64_t t : {int64_t{0x7fffffff}, int64_t{0x80000001}, wrap - 1, wrap + 5, wrap - 2,
                          wrap + 6, wrap + 0x7fffffff, 2 * wrap - 9, 2 * wrap, 2 * wrap + 1})
    events.push_back({.t = t, .x = 1, .y = 2, .on = 1});
  EXPECT_EQ(read(aedat2_file(events)).events, events);
}

TEST(Aedat2, SpecialEventsKeepTheClock) {
  const std::string file = kAedat2Header + aedat2_word(0, 0xfffffff0) + aedat2_word(0x8000, 3) +
                           aedat2_word(0, 0x90000000);
  // Without the special event the second pixel would be earlier than the first.
  const Recording recording = read(file);
  ASSERT_EQ(recording.events.size(), 2u);
  EXPECT_EQ(recording.events[1].t, 0x90000000);
}

TEST(Aedat2, CounterThatLeapsOrStepsBackIsKept) {
  std::vector<Event> events = test::some_events(4, 128, 128);
  const int64_t times[] = {5, 0xf0000000, 0xe0000000, 0xe0000001};
  for (size_t i = 0; i < 4; ++i) events[i].t = times[i];
  EXPECT_EQ(read(aedat2_file(events)).events, events);
}

TEST(Aedat2, DavisIsReadByItsOwnAddress) {
  const std::vector<Event> events = test::some_events(500, 240, 180);
  std::string file = kAedat2DavisHeader;
  for (const Event& e : events) {
    file += aedat2_word(test::davis240_address(e), e.t);
    file += aedat2_word(0x80000000 | 77 << 12, e.t);              // a frame's sample
    file += aedat2_word(test::davis240_address(e) | 0x400, e.t);  // the external input
  }
  const Recording recording = read(file);
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 240);
  EXPECT_EQ(recording.height, 180);
}

TEST(Aedat2, DavisEventOutsideItsSensorIsRefused) {
  const std::string file = kAedat2DavisHeader + aedat2_word(5 << 12, 1) + aedat2_word(240 << 12, 2);
  EXPECT_ERROR(read(file), "a.aedat: event 1 ", "240 x 180");
}

TEST(Aedat2, DataMayBeginWithTheHeadersMark) {
  // DAVIS, y from below 140 or 141: the first byte is '#'. Text follows in the second file, and
  // text with a newline in the third.
  for (const uint32_t address : {0x23000800u, 0x23414000u, 0x2341300au, 0x23410a00u}) {
    const std::string file = kAedat2DavisHeader + aedat2_word(address, 0x1234) +
                             aedat2_word(address, 0x1235) + aedat2_word(0, 0x1236);
    const Recording recording = read(file);
    EXPECT_EQ(recording.events.size(), 3u) << address;
    EXPECT_EQ(recording.events[0].y, 179 - (address >> 22 & 0x1ff));
  }
}

TEST(Aedat2, EveryCutIsRefusedOrAtAnEventsEnd) {
  const std::vector<Event> events = test::some_events(4, 128, 128);
  const std::string whole = aedat2_file(events);
  for (size_t n = 1; n < whole.size(); ++n) {
    const std::string cut = whole.substr(0, n);
    const bool at_line = n <= kAedat2Header.size() && cut.back() == '\n';
    if (at_line || (n > kAedat2Header.size() && (n - kAedat2Header.size()) % 8 == 0)) {
      const size_t n_events = n < kAedat2Header.size() ? 0 : (n - kAedat2Header.size()) / 8;
      EXPECT_EQ(read(cut).events.size(), n_events) << n;
    } else {
      EXPECT_ERROR(read(cut), "a.aedat: cut short");
    }
  }
}

TEST(Aedat2, AddressesOfAnotherSensorAreRefused) {
  std::string file = aedat2_file(test::some_events(2, 128, 128), "#!AER-DAT2.0\r\n");
  file += aedat2_word(0x00410001, 2000);
  EXPECT_ERROR(read(file), "a.aedat: event 2 has address 0x410001", "DVS128");
}

TEST(Aedat2, UnknownCameraAndOtherVersionsAreRefused) {
  EXPECT_ERROR(read("#!AER-DAT2.0\n# AEChip: ch.unizh.CochleaAMS1c\n"), "CochleaAMS1c", "DAVIS346");
  for (const char* version : {"1.0", "3.0", "3.1", "4.0"})
    EXPECT_ERROR(read("#!AER-DAT" + std::string(version) + "\r\n"), "a.aedat", version,
                 "wanted 2.0");
}

TEST(Aedat2, RecordingIsRefilled) {
  Recording recording{.events = test::some_events(100, 9, 9), .width = 9, .height = 9};
  const std::vector<Event> events = test::some_events(3, 128, 128);
  read_aedat2(as_bytes(aedat2_file(events)), "a.aedat", recording);
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 128);
}

TEST(Aedat2, RealDvs128RecordingIsWhole) {
  const auto path = test::real_file("dvs128_biolab.aedat");
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  const Recording recording = read(read_file(path));
  ASSERT_EQ(recording.events.size(), 126164u);
  EXPECT_EQ(recording.events.front(), (Event{.t = 3799644735, .x = 41, .y = 83, .on = 0}));
  EXPECT_EQ(recording.events.back().t, 3818152388);
  int64_t on = 0, x = 0, y = 0;
  for (const Event& e : recording.events) on += e.on, x += e.x, y += e.y;
  EXPECT_EQ(on, 73701);
  EXPECT_EQ(x, 8116027);
  EXPECT_EQ(y, 9756362);
  for (size_t i = 1; i < recording.events.size(); ++i)
    ASSERT_LE(recording.events[i - 1].t, recording.events[i].t) << i;
}

TEST(Aedat2, RealHeaderAloneTellsItsSensor) {
  const auto path = test::real_file("aedat_header_only.aedat");
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  const Recording recording = read(read_file(path));
  EXPECT_TRUE(recording.events.empty());
  EXPECT_EQ(recording.width, 346);
  EXPECT_EQ(recording.height, 260);
}

}  // namespace
}  // namespace spikenm::data
