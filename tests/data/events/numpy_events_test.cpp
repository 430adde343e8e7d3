#include "spikenm/data/events/numpy_events.h"

#include "support/event_files.h"
#include "support/expect_error.h"

#include <cmath>
#include <limits>

namespace spikenm::data {
namespace {

using namespace test;

constexpr const char* kTonicRecord = "[('x', '<i2'), ('y', '<i2'), ('t', '<i8'), ('p', '|b1')]";

Recording read_npz(const std::string& file) {
  const std::vector<uint8_t> bytes = exactly(file);
  Recording recording;
  read_npz_events(bytes, "a.npz", recording);
  return recording;
}

Recording read_npy(const std::string& file, const NpyEventLayout& layout = {}) {
  const std::vector<uint8_t> bytes = exactly(file);
  Recording recording;
  read_npy_events(bytes, "a.npy", layout, recording);
  return recording;
}

template <class T>
std::string column(const std::string& type, const std::vector<T>& values) {
  std::string data;
  for (const T value : values) data += le(value);
  return npy_file("'" + type + "'", "(" + std::to_string(values.size()) + ",)", data);
}

// A file as SpikingJelly writes it.
std::string npz_of(const std::vector<Event>& events, bool pack) {
  std::vector<int64_t> t;
  std::vector<int16_t> x, y;
  std::vector<uint8_t> p;
  for (const Event& e : events) {
    t.push_back(e.t);
    x.push_back(static_cast<int16_t>(e.x));
    y.push_back(static_cast<int16_t>(e.y));
    p.push_back(e.on);
  }
  return zip_file(
      {zip_part("t.npy", column("<i8", t), pack), zip_part("x.npy", column("<i2", x), pack),
       zip_part("y.npy", column("<i2", y), pack), zip_part("p.npy", column("|b1", p), pack)});
}

// One row of an (N, 4) array of doubles.
std::string row(double a, double b, double c, double d) {
  return le(a) + le(b) + le(c) + le(d);
}

TEST(NumpyEvents, SpikingJellysArchiveComesBack) {
  const std::vector<Event> events = some_events(1000, 128, 128);
  for (const bool pack : {false, true}) EXPECT_EQ(read_npz(npz_of(events, pack)).events, events);
  EXPECT_TRUE(read_npz(npz_of({}, false)).events.empty());
}

TEST(NumpyEvents, ArchiveMayHoldFloatsAndMinusOne) {
  const std::string file = zip_file({zip_part("t.npy", column<double>("<f8", {1, 2.4})),
                                     zip_part("x.npy", column<float>("<f4", {3, 4})),
                                     zip_part("y.npy", column<uint16_t>("<u2", {5, 65535})),
                                     zip_part("p.npy", column<int8_t>("|i1", {-1, 1}))});
  const std::vector<Event> wanted = {{.t = 1, .x = 3, .y = 5, .on = 0},
                                     {.t = 2, .x = 4, .y = 65535, .on = 1}};
  EXPECT_EQ(read_npz(file).events, wanted);
}

TEST(NumpyEvents, ArchiveWithoutAnArrayOrWithUnequalOnesIsRefused) {
  const auto t = zip_part("t.npy", column<int64_t>("<i8", {1, 2}));
  const auto x = zip_part("x.npy", column<int16_t>("<i2", {1, 2}));
  const auto y = zip_part("y.npy", column<int16_t>("<i2", {1, 2}));
  const auto p = zip_part("p.npy", column<uint8_t>("|u1", {1}));
  EXPECT_ERROR(read_npz(zip_file({t, x, y})), "a.npz", "'p'");
  EXPECT_ERROR(read_npz(zip_file({t, x, y, p})), "a.npz", "2 values of t and 1 of p");
  const auto matrix = zip_part("x.npy", npy_file("'<i2'", "(1, 2)", std::string(4, '\1')));
  EXPECT_ERROR(read_npz(zip_file({t, matrix, y, p})), "a.npz", "'x'", "2 axes");
}

TEST(NumpyEvents, TonicsRecordsComeBack) {
  const std::vector<Event> events = some_events(100, 34, 34);
  std::string data;
  for (const Event& e : events) data += le(e.x) + le(e.y) + le(e.t) + le(e.on);
  EXPECT_EQ(read_npy(npy_file(kTonicRecord, "(100,)", data)).events, events);
}

TEST(NumpyEvents, RecordsMayHaveTheirFieldsInAnyOrder) {
  const std::vector<Event> events = some_events(100, 34, 34);
  std::string data;
  for (const Event& e : events)
    data += le<int32_t>(e.on == 1 ? 1 : -1) + be<int32_t>(static_cast<int32_t>(e.t)) +
            le<uint8_t>(static_cast<uint8_t>(e.y)) + le<float>(e.x);
  const char* const record = "[('p', '<i4'), ('t', '>i4'), ('y', '|u1'), ('x', '<f4')]";
  EXPECT_EQ(read_npy(npy_file(record, "(100,)", data)).events, events);
}

TEST(NumpyEvents, RecordsWithoutAFieldAreRefused) {
  const std::string data(12, '\0');
  EXPECT_ERROR(read_npy(npy_file("[('x', '<i2'), ('y', '<i2'), ('t', '<i8')]", "(1,)", data)),
               "a.npy", "'p'");
}

TEST(NumpyEvents, TonicsGestureArrayIsInMilliseconds) {
  const std::string data = row(3, 4, 1, 1.001) + row(5, 6, 0, 8654.079);
  const std::vector<Event> wanted = {{.t = 1001, .x = 3, .y = 4, .on = 1},
                                     {.t = 8654079, .x = 5, .y = 6, .on = 0}};
  EXPECT_EQ(read_npy(npy_file("'<f8'", "(2, 4)", data)).events, wanted);
}

TEST(NumpyEvents, PlainArrayFollowsTheLayout) {
  const std::string data = le<int64_t>(7) + le<int64_t>(8) + le<int64_t>(9) + le<int64_t>(1);
  const std::vector<Event> wanted = {{.t = 7, .x = 8, .y = 9, .on = 1}};
  const NpyEventLayout layout{.columns = "txyp", .us_per_tick = 1};
  EXPECT_EQ(read_npy(npy_file("'<i8'", "(1, 4)", data), layout).events, wanted);
  // Column by column: one row is the same either way, two rows are not.
  std::string columns;
  for (const int64_t value : {7, 17, 8, 18, 9, 19, 1, 0}) columns += le(value);
  const Recording recording = read_npy(npy_file("'<i8'", "(2, 4)", columns, true), layout);
  ASSERT_EQ(recording.events.size(), 2u);
  EXPECT_EQ(recording.events[0], wanted[0]);
  EXPECT_EQ(recording.events[1], (Event{.t = 17, .x = 18, .y = 19, .on = 0}));
}

TEST(NumpyEvents, ArraysOfAnotherShapeAreRefused) {
  for (const char* shape : {"(8,)", "(2, 2, 2)", "(4, 2)", "()"}) {
    const std::string data(std::string_view(shape) == "()" ? 8 : 64, '\0');
    EXPECT_ERROR(read_npy(npy_file("'<i8'", shape, data)), "a.npy", "(N, 4)");
  }
  EXPECT_ERROR(read_npy(npy_file(kTonicRecord, "(1, 1)", std::string(13, '\0'))), "a.npy",
               "2 axes");
  EXPECT_TRUE(read_npy(npy_file("'<f8'", "(0, 4)", "")).events.empty());
}

TEST(NumpyEvents, ValuesThatNoEventHasAreRefusedByTheirIndex) {
  const std::string good = row(1, 1, 1, 1);
  const auto refused = [&](const std::string& bad, const char* part) {
    EXPECT_ERROR(read_npy(npy_file("'<f8'", "(2, 4)", good + bad)), "a.npy", part);
  };
  refused(row(-1, 1, 1, 1), "event 1 has x -1");
  refused(row(1, 65536, 1, 1), "event 1 has y 65536");
  refused(row(1, 1, 2, 1), "event 1 has p 2");
  refused(row(1, 1, 1, 5e15), "event 1 has time 5000000000000000");
  refused(row(1, 1, 1, NAN), "event 1 has time nan");
  refused(row(1, 1, 1, -std::numeric_limits<double>::infinity()), "event 1 has time -inf");
  refused(row(1.5, 1, 1, 1), "1.5");
}

TEST(NumpyEvents, WholeTimesBeyondTheLimitAreRefused) {
  for (const int64_t t : {INT64_MAX, INT64_MIN, (int64_t{1} << 62) / 1000, int64_t{1} << 62}) {
    const std::string data = le<int64_t>(1) + le<int64_t>(1) + le<int64_t>(1) + le(t);
    EXPECT_ERROR(read_npy(npy_file("'<i8'", "(1, 4)", data)), "a.npy: event 0 has time", "2^62");
  }
}

TEST(NumpyEvents, ArchiveThatBecomesTooManyEventsIsRefusedWithTheKeyThatLiftsIt) {
  // A byte each, and packed a thousandfold.
  const std::vector<uint8_t> zeros(200'000);
  std::vector<test::ZipPart> parts;
  for (const char* name : {"t.npy", "x.npy", "y.npy", "p.npy"})
    parts.push_back(zip_part(name, column<uint8_t>("|u1", zeros), true));
  const std::string file = zip_file(parts);
  ASSERT_LT(16 * file.size(), 100'000u);
  Recording recording;
  EXPECT_ERROR(read_npz_events(as_bytes(file), "a.npz", recording, {4'000'000, "data.key"}),
               "a.npz: would unpack to more than 4000000 bytes", "data.key lifts the limit");
  EXPECT_ERROR(read_npz_events(as_bytes(file), "a.npz", recording, {100'000, "data.key"}),
               "a.npz: member 't.npy': would unpack to more than 100000 bytes");
  read_npz_events(as_bytes(file), "a.npz", recording, {200'000 * 24, ""});
  EXPECT_EQ(recording.events.size(), 200'000u);
}

TEST(NumpyEvents, EveryCutIsRefused) {
  const std::vector<Event> events = some_events(5, 34, 34);
  expect_every_cut_refused(
      [](Bytes bytes) {
        Recording recording;
        read_npz_events(bytes, "a.npz", recording);
      },
      npz_of(events, true));
  expect_every_cut_refused(
      [](Bytes bytes) {
        Recording recording;
        read_npy_events(bytes, "a.npy", {}, recording);
      },
      npy_file("'<f8'", "(1, 4)", row(1, 1, 1, 1)));
}

}  // namespace
}  // namespace spikenm::data
