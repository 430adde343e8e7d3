#include "spikenm/data/events/aedat4.h"

#include "spikenm/core/file.h"
#include "support/event_files.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using namespace test;
using Packing = Aedat4Packing;

Recording read(const std::string& file) {
  const std::vector<uint8_t> bytes = test::exactly(file);
  Recording recording;
  read_aedat4(bytes, "a.aedat4", recording);
  return recording;
}

// A file with one packet of stream 0 that holds this payload.
std::string file_with(const std::string& payload, Packing packing) {
  return aedat4_join(packing, aedat4_stream_info(0, "EVTS", 64, 48), aedat4_packet(0, payload));
}

// True when the bytes are read and false when they are refused; anything else fails the test.
bool reads(const std::string& file) {
  try {
    const Recording recording = read(file);
    EXPECT_LE(recording.events.size(), 100 * file.size());
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Aedat4, EventsComeBackWithEveryPacking) {
  const std::vector<Event> events = some_events(1000, 64, 48, 1'700'000'000'000'000);
  for (const Packing packing : {Packing::kNone, Packing::kLz4, Packing::kZstd}) {
    for (const size_t per_packet : {1, 333, 1000}) {
      const Recording recording = read(aedat4_file(events, 64, 48, packing, per_packet));
      EXPECT_EQ(recording.events, events) << static_cast<int>(packing);
      EXPECT_EQ(recording.width, 64);
      EXPECT_EQ(recording.height, 48);
    }
  }
}

TEST(Aedat4, PacketsLargerThanTheBufferComeBack) {
  const std::vector<Event> events = some_events(50'000, 64, 48);
  for (const Packing packing : {Packing::kLz4, Packing::kZstd})
    EXPECT_EQ(read(aedat4_file(events, 64, 48, packing, events.size())).events, events);
}

TEST(Aedat4, OtherStreamsArePassedOver) {
  const std::vector<Event> events = some_events(5, 64, 48), others = some_events(9, 640, 480);
  const std::string streams = aedat4_stream_info(0, "FRME", 1, 1) +
                              aedat4_stream_info(12, "EVTS", 640, 480) +
                              aedat4_stream_info(3, "EVTS", 64, 48);
  const std::string packets = aedat4_packet(0, "not even packed") +
                              aedat4_packet(12, aedat4_events(others)) +
                              aedat4_packet(3, aedat4_events(events)) + aedat4_packet(0, "");
  const Recording recording = read(aedat4_join(Packing::kNone, streams, packets));
  EXPECT_EQ(recording.events, events);
  EXPECT_EQ(recording.width, 64);
}

TEST(Aedat4, EmptyPacketsAndFilesGiveNoEvents) {
  const std::string file = file_with(aedat4_events({}), Packing::kNone);
  EXPECT_TRUE(read(file).events.empty());
  EXPECT_TRUE(read(aedat4_file({}, 64, 48)).events.empty());
}

TEST(Aedat4, FileWithoutListOfPacketsIsReadToItsEnd) {
  const std::vector<Event> events = some_events(5, 64, 48);
  const std::string streams = aedat4_stream_info(0, "EVTS", 64, 48);
  const std::string file =
      aedat4_header(Packing::kNone, -1, streams) + aedat4_packet(0, aedat4_events(events));
  EXPECT_EQ(read(file).events, events);
  EXPECT_ERROR(read(file.substr(0, file.size() - 1)), "a.aedat4: cut short");
}

TEST(Aedat4, EveryCutBeforeTheListIsRefused) {
  const std::vector<Event> events = some_events(20, 64, 48);
  for (const Packing packing : {Packing::kNone, Packing::kLz4, Packing::kZstd}) {
    const std::string whole = aedat4_file(events, 64, 48, packing, 10);
    const size_t end = whole.size() - std::string("list of packets").size();
    for (size_t n = 0; n < end; ++n) EXPECT_ERROR(read(whole.substr(0, n)), "a.aedat4: ");
    EXPECT_EQ(read(whole.substr(0, end)).events, events);
  }
}

TEST(Aedat4, PayloadCutAtAnyByteIsRefused) {
  const std::string content = aedat4_events(some_events(20, 64, 48));
  for (const Packing packing : {Packing::kNone, Packing::kLz4, Packing::kZstd}) {
    const std::string payload = aedat4_pack(content, packing);
    for (size_t n = 0; n < payload.size(); ++n)
      EXPECT_ERROR(read(file_with(payload.substr(0, n), packing)), "a.aedat4: ");
  }
}

TEST(Aedat4, EveryChangedByteIsRefusedOrReads) {
  const std::vector<Event> events = some_events(10, 64, 48);
  for (const Packing packing : {Packing::kNone, Packing::kLz4, Packing::kZstd}) {
    const std::string whole = aedat4_file(events, 64, 48, packing, 5);
    int refused = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
      for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
        std::string mutant = whole;
        mutant[i] = static_cast<char>(mutant[i] ^ flip);
        if (!reads(mutant)) ++refused;
      }
    }
    EXPECT_GT(refused, 100);
  }
}

TEST(Aedat4, FrameThatUnpacksToFarMoreThanItselfIsRefused) {
  const std::string bomb = aedat4_pack(std::string(64'000'000, '\0'), Packing::kZstd);
  EXPECT_ERROR(read(file_with(bomb, Packing::kZstd)), "a.aedat4", "which no events do");
  // Many small ones, each a valid packet of equal events.
  const std::vector<Event> equal(4000);
  const std::string packed = aedat4_pack(aedat4_events(equal), Packing::kZstd);
  std::string packets;
  for (int i = 0; i < 1000; ++i) packets += aedat4_packet(0, packed);
  const std::string streams = aedat4_stream_info(0, "EVTS", 64, 48);
  EXPECT_ERROR(read(aedat4_join(Packing::kZstd, streams, packets)), "which no events do");
}

// Packets of events that are all equal: 90 bytes of each stand for many thousand.
std::string file_of_equal_events(int n_packets) {
  const std::vector<Event> equal(1000);
  const std::string packed = aedat4_pack(aedat4_events(equal), Packing::kLz4);
  std::string packets;
  for (int i = 0; i < n_packets; ++i) packets += aedat4_packet(0, packed);
  return aedat4_join(Packing::kLz4, aedat4_stream_info(0, "EVTS", 64, 48), packets);
}

TEST(Aedat4, EventsBeyondTheLimitAreRefusedWithTheKeyThatLiftsIt) {
  const std::string file = file_of_equal_events(100);
  ASSERT_LT(16 * file.size(), 1'600'000u);
  Recording recording;
  EXPECT_ERROR(
      read_aedat4(as_bytes(file), "a.aedat4", recording, {400'000, "data.max_unpacked_mb"}),
      "a.aedat4: would unpack to more than", "data.max_unpacked_mb lifts the limit");
  EXPECT_LT(recording.events.size(), 100'000u);
  read_aedat4(as_bytes(file), "a.aedat4", recording, {1'600'000, ""});
  EXPECT_EQ(recording.events.size(), 100'000u);
}

TEST(Aedat4, APacketBeyondTheLimitIsRefused) {
  const std::string zeros = aedat4_pack(std::string(250'000, '\0'), Packing::kLz4);
  ASSERT_LT(16 * zeros.size(), 100'000u);
  Recording recording;
  EXPECT_ERROR(read_aedat4(as_bytes(file_with(zeros, Packing::kLz4)), "a.aedat4", recording,
                           {400'000, "--max-unpacked-mb"}),
               "would unpack to more than 100000 bytes", "--max-unpacked-mb lifts the limit");
}

TEST(Aedat4, FlatBufferWhoseOffsetsLeaveItIsRefused) {
  const std::string good = aedat4_events(some_events(3, 64, 48));
  // Size, root, field's place, table's way to the vtable, vector's place and count.
  for (const size_t at : {0, 4, 16, 20, 24, 28}) {
    std::string bad = good;
    bad.replace(at, 2, "\xf7\xff");
    if (at == 20 || at == 24) bad.replace(at, 4, "\xf7\xff\xff\x7f");
    EXPECT_ERROR(read(file_with(bad, Packing::kNone)), "a.aedat4: ");
  }
}

TEST(Aedat4, PacketOfAnotherKindIsRefused) {
  std::string frame = aedat4_events({});
  frame.replace(8, 4, "FRME");
  EXPECT_ERROR(read(file_with(frame, Packing::kNone)), "a.aedat4", "'EVTS'");
}

TEST(Aedat4, EventsThatCannotBeAreRefusedByTheirIndex) {
  std::vector<Event> events = some_events(5, 64, 48);
  events[3].y = 48;
  EXPECT_ERROR(read(aedat4_file(events, 64, 48)), "a.aedat4: event 3 ", "64 x 48");
  events[3].y = 0xffff;  // -1
  EXPECT_ERROR(read(aedat4_file(events, 64, 48)), "a.aedat4: event 3 ", "y -1");
  events[3] = {.t = INT64_MIN};
  EXPECT_ERROR(read(aedat4_file(events, 64, 48, Packing::kLz4, 2)), "a.aedat4: event 3 ", "2^62");
}

TEST(Aedat4, StreamListWithoutEventsIsRefused) {
  EXPECT_ERROR(read(aedat4_join(Packing::kNone, aedat4_stream_info(0, "FRME", 1, 1), "")),
               "a.aedat4: found no event stream");
  EXPECT_ERROR(read(aedat4_join(Packing::kNone, "", "")), "found no event stream");
  EXPECT_ERROR(read(aedat4_join(Packing::kNone, aedat4_stream_info(0, "EVTS", -4, 1), "")), "'-4'");
}

TEST(Aedat4, HostileStreamListsCostLittle) {
  // A path that every attribute would repeat, and tags without an end.
  std::string streams = "<node path=\"/" + std::string(1'000'000, 'p') + "\">";
  for (int i = 0; i < 50'000; ++i) streams += "<attr key=\"" + std::to_string(i) + "\">1</attr>";
  EXPECT_ERROR(read(aedat4_join(Packing::kNone, streams, "")), "found no event stream");
  EXPECT_ERROR(read(aedat4_join(Packing::kNone, std::string(100'000, '<'), "")), "no event stream");
}

TEST(Aedat4, UnknownPackingAndVersionAreRefused) {
  EXPECT_ERROR(read(aedat4_join(static_cast<Packing>(5), aedat4_stream_info(0, "EVTS", 1, 1), "")),
               "a.aedat4: found compression 5");
  std::string file = aedat4_file({}, 64, 48);
  file[9] = '5';
  EXPECT_ERROR(read(file), "a.aedat4", "AER-DAT4.0");
}

TEST(Aedat4, StreamsBelowARecordersNodeAreRead) {
  const std::vector<Event> events = some_events(5, 64, 48);
  std::string streams = aedat4_stream_info(0, "EVTS", 64, 48);
  for (size_t at = streams.find("/outInfo/"); at != std::string::npos;
       at = streams.find("/outInfo/", at + 30))
    streams.insert(at, "/mainloop/Recorder");
  const std::string file =
      aedat4_join(Packing::kNone, streams, aedat4_packet(0, aedat4_events(events)));
  EXPECT_EQ(read(file).events, events);
}

TEST(Aedat4, RealRecordingIsWhole) {
  const auto path = real_file("dv_sample.aedat4");
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  const Recording recording = read(read_file(path));
  ASSERT_EQ(recording.events.size(), 9408u);
  EXPECT_EQ(recording.width, 640);
  EXPECT_EQ(recording.height, 480);
  EXPECT_EQ(recording.events.front(), (Event{.t = 1, .x = 64, .y = 48, .on = 1}));
  EXPECT_EQ(recording.events.back(), (Event{.t = 1, .x = 256, .y = 191, .on = 1}));
  int64_t x = 0, y = 0;
  for (const Event& e : recording.events) x += e.x, y += e.y;
  EXPECT_EQ(x, 2709480);
  EXPECT_EQ(y, 2032104);
}

}  // namespace
}  // namespace spikenm::data
