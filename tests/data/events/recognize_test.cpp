#include "spikenm/data/events/recognize.h"

#include "spikenm/core/file.h"
#include "spikenm/core/random.h"
#include "support/event_files.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using namespace test;

EventFile read(const std::string& file) {
  const std::vector<uint8_t> bytes = exactly(file);
  return read_event_file(bytes, "f");
}

std::string npz_file(const std::vector<Event>& events) {
  std::string t, x, y, p;
  for (const Event& e : events) t += le(e.t), x += le(e.x), y += le(e.y), p += le(e.on);
  const std::string shape = "(" + std::to_string(events.size()) + ",)";
  return zip_file({zip_part("t.npy", npy_file("'<i8'", shape, t)),
                   zip_part("x.npy", npy_file("'<u2'", shape, x)),
                   zip_part("y.npy", npy_file("'<u2'", shape, y)),
                   zip_part("p.npy", npy_file("'|u1'", shape, p))});
}

std::string npy_records(const std::vector<Event>& events) {
  std::string data;
  for (const Event& e : events) data += le(e.x) + le(e.y) + le(e.t) + le(e.on);
  return npy_file("[('x', '<u2'), ('y', '<u2'), ('t', '<i8'), ('p', '|b1')]",
                  "(" + std::to_string(events.size()) + ",)", data);
}

TEST(Recognize, EveryFormatIsToldByItsContent) {
  const std::vector<Event> events = some_events(50, 34, 34);
  const std::pair<std::string, std::string> files[] = {
      {"AEDAT 2.0", aedat2_file(events)},
      {"AEDAT 2.0 (no version line)", aedat2_file(events, "# no version\n")},
      {"AEDAT 2.0 (no version line)", aedat2_file(events, "")},
      {"AEDAT 3.1", aedat3_file(events)},
      {"AEDAT 4.0", aedat4_file(events, 34, 34)},
      {"ATIS 40-bit events", atis_bin_file(events)},
      {"Prophesee DAT", prophesee_dat_file(events)},
      {"NumPy archive", npz_file(events)},
      {"NumPy array", npy_records(events)}};
  for (const auto& [format, content] : files) {
    const EventFile file = read(content);
    EXPECT_EQ(file.format, format);
    EXPECT_EQ(file.recording.events, events) << format;
  }
}

TEST(Recognize, HeadersAloneGiveNoEvents) {
  for (const std::string& header : {kAedat2Header, kAedat3Header, aedat4_file({}, 4, 4)})
    EXPECT_TRUE(read(header).recording.events.empty());
}

TEST(Recognize, HeaderlessEventsMayBeginLikeAHeader) {
  // x and y of the first event are '#', '%' or "PK".
  for (const auto& [x, y] : {std::pair{'#', '!'}, {'%', ' '}, {'P', 'K'}, {'#', '\n'}}) {
    std::vector<Event> events = some_events(50, 128, 128);
    events[0].x = static_cast<uint8_t>(x);
    events[0].y = static_cast<uint8_t>(y);
    const EventFile file = read(atis_bin_file(events));
    EXPECT_EQ(file.format, "ATIS 40-bit events");
    EXPECT_EQ(file.recording.events, events);
  }
}

TEST(Recognize, FewStepsBackInTimeAreStillEvents) {
  std::vector<Event> events = some_events(300, 34, 34);
  std::swap(events[10].t, events[20].t);
  EXPECT_EQ(read(atis_bin_file(events)).recording.events, events);
}

TEST(Recognize, WhatIsNoEventFileIsRefusedWithTheKnownFormats) {
  std::string noise;
  for (uint64_t i = 0; i < 40'000; ++i) noise += static_cast<char>(RandomAddress(3, 0).word(i));
  for (const std::string& file :
       {noise, noise.substr(0, 12345), std::string("\x1f\x8b\x08\x00\x01", 5).append(6, 'x'),
        std::string("\x89HDF\r\n\x1a\n")})
    EXPECT_ERROR(read(file), "f: found no format that is known", "AEDAT 2.0, 3.1 and 4.0", ".npz");
  EXPECT_ERROR(read(""), "f: found an empty file", "known: AEDAT");
}

TEST(Recognize, TextIsNoEventFile) {
  const std::string line = "some words of a longer text, one like the other\n";
  std::string lines;
  while (lines.size() < 10'000) lines += line;
  for (const std::string& text :
       {std::string("hello"), std::string("a text\n of 15 ch"), lines, "# A heading\n\n" + lines,
        "# 16 characters\n" + std::string(800, 'x'), "% Date 2014-02-28\n% Version 2\n" + lines,
        std::string("t,x,y,p\r\n1000,3,4,1\r\n"),
        std::string("\xc3\xa4\xe2\x82\xac \xf0\x9f\x98\x80\n"),
        std::string("[data]\nname = \"mnist\"\n")})
    EXPECT_ERROR(read(text), "f: not an event file: it holds text", "AEDAT 2.0, 3.1 and 4.0");
}

TEST(Recognize, OfSeveralEventStreamsTheOneReadIsNamed) {
  const std::vector<Event> events = some_events(5, 64, 48);
  const std::string streams =
      aedat4_stream_info(7, "EVTS", 640, 480) + aedat4_stream_info(3, "EVTS", 64, 48);
  const EventFile file =
      read(aedat4_join(Aedat4Packing::kNone, streams, aedat4_packet(3, aedat4_events(events))));
  EXPECT_EQ(file.format, "AEDAT 4.0 (stream 3 of its 2 event streams)");
  EXPECT_EQ(file.recording.events, events);
}

TEST(Recognize, FormatsThatOnlyNameThemselvesAreNotSupported) {
  for (const char* version : {"1.0", "3.0", "5.0", "", "2.0x"})
    EXPECT_ERROR(read("#!AER-DAT" + std::string(version) + "\r\n"), "f: found AEDAT version",
                 version, "not supported");
  for (const char* line : {"% evt 3.0\n", "% format EVT3;height=720;width=1280\n"})
    EXPECT_ERROR(read("% Date 2014-02-28\n" + std::string(line) + "% end\n" + "\x8a\xe8"),
                 "Prophesee RAW", "not supported");
}

TEST(Recognize, BrokenFileOfANamedFormatTellsWhatIsBroken) {
  EXPECT_ERROR(read(aedat3_file(some_events(5, 34, 34)) + "x"), "f: cut short", "packet header");
}

TEST(Recognize, SummaryTellsWhatIsInTheFile) {
  std::vector<Event> events = some_events(101, 128, 128, 2000);
  events[100].t = 1500;
  const EventSummary summary = summarize(read(aedat2_file(events)));
  EXPECT_EQ(summary.format, "AEDAT 2.0");
  EXPECT_EQ(summary.events, 101);
  EXPECT_EQ(summary.first_us, 1500);
  EXPECT_EQ(summary.last_us, events[99].t);
  EXPECT_EQ(summary.span_us, events[99].t - 1500);
  EXPECT_EQ(summary.backward_steps, 1);
  EXPECT_EQ(summary.width, 128);
  EXPECT_FALSE(summary.size_guessed);
  EXPECT_DOUBLE_EQ(summary.on_share, 50.0 / 101);
  EXPECT_DOUBLE_EQ(summary.rate, 101e6 / static_cast<double>(events[99].t - 1500));
}

TEST(Recognize, SummaryGuessesTheSensorFromTheEvents) {
  std::vector<Event> events = some_events(3, 5, 5);
  events[1].x = 30;
  events[2].y = 20;
  const EventSummary summary = summarize(read(atis_bin_file(events)));
  EXPECT_EQ(summary.width, 31);
  EXPECT_EQ(summary.height, 21);
  EXPECT_TRUE(summary.size_guessed);
  EXPECT_NE(to_text(summary).find("31 x 21 (guessed"), std::string::npos);
}

TEST(Recognize, SummaryOfNoEventsIsZero) {
  const EventSummary summary = summarize({.format = "none", .recording = {}});
  EXPECT_EQ(summary.events, 0);
  EXPECT_EQ(summary.rate, 0);
  EXPECT_EQ(summary.on_share, 0);
  EXPECT_EQ(summary.span_us, 0);
}

TEST(Recognize, SummaryOfTheLongestSpanDoesNotOverflow) {
  const int64_t most = (int64_t{1} << 62) - 1;
  const EventSummary summary =
      summarize({.format = "f", .recording = {.events = {{.t = -most}, {.t = most}}}});
  EXPECT_EQ(summary.span_us, 2 * most);
}

TEST(Recognize, SummaryIsJsonAndText) {
  const EventSummary summary = summarize(read(aedat2_file(some_events(10, 128, 128))));
  const Json json = to_json(summary);
  EXPECT_EQ(json["format"], "AEDAT 2.0");
  EXPECT_EQ(json["events"], 10);
  EXPECT_EQ(json["span_us"], summary.span_us);
  EXPECT_EQ(json["backward_steps"], 0);
  EXPECT_EQ(json["size_guessed"], false);
  EXPECT_EQ(json["events_per_second"], summary.rate);
  const std::string text = to_text(summary);
  for (const char* part : {"AEDAT 2.0", "events   10 ", "128 x 128\n", "0 steps back"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Recognize, RealFilesAreTold) {
  if (!std::filesystem::exists(real_file("nmnist.bin"))) GTEST_SKIP();
  const std::tuple<const char*, const char*, int64_t> files[] = {
      {"dvs128_biolab.aedat", "AEDAT 2.0", 126164},     {"aedat_header_only.aedat", "AEDAT 2.0", 0},
      {"dv_sample.aedat4", "AEDAT 4.0", 9408},          {"nmnist.bin", "ATIS 40-bit events", 4325},
      {"gesture_128.bs2", "ATIS 40-bit events", 63471}, {"ncars.dat", "Prophesee DAT", 2009}};
  for (const auto& [name, format, n] : files) {
    const EventSummary summary = summarize(read(read_file(real_file(name))));
    EXPECT_EQ(summary.format, format) << name;
    EXPECT_EQ(summary.events, n) << name;
    EXPECT_EQ(summary.backward_steps, 0) << name;
  }
}

}  // namespace
}  // namespace spikenm::data
