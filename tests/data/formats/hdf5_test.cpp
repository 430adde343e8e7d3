#include "spikenm/data/formats/hdf5.h"

#include "support/expect_error.h"
#include "support/hdf5_file.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

using namespace test;
using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;

void read_all(Bytes bytes) {
  const Hdf5Objects objects(bytes, "f.h5");
  const Hdf5Dataset times(objects, "spikes/times", "f.h5"), units(objects, "spikes/units", "f.h5");
  for (int64_t i = 0; i < times.size(); ++i) (void)npy_values<double>(times.row(i), "f.h5");
  for (int64_t i = 0; i < units.size(); ++i) (void)npy_values<int64_t>(units.row(i), "f.h5");
  (void)npy_values<int64_t>(Hdf5Dataset(objects, "labels", "f.h5").values(), "f.h5");
}

Integers integers(const Hdf5Objects& objects, const std::string& path) {
  return npy_values<int64_t>(Hdf5Dataset(objects, path, "f.h5").values(), "f.h5");
}

TEST(Hdf5, ReadsWhatPyTablesAndH5pyWrite) {
  for (const char* name : {"pytables_f16", "pytables_zlib", "h5py_f64", "h5py_big_endian",
                           "h5py_gzip", "h5py_latest", "h5py_user_block"}) {
    SCOPED_TRACE(name);
    const std::vector<uint8_t> bytes = exactly(hdf5_written_by(name));
    const Hdf5Objects objects(bytes, name);
    const Hdf5Dataset times(objects, "spikes/times", name), units(objects, "spikes/units", name);
    const int64_t lengths[] = {3, 0, 1, 40};
    ASSERT_EQ(times.size(), 4);
    ASSERT_EQ(units.size(), 4);
    EXPECT_TRUE(times.has_rows());
    for (int64_t i = 0; i < 4; ++i) {
      Reals wanted_times;
      Integers wanted_units;
      for (int64_t k = 0; k < lengths[i]; ++k) {
        wanted_times.push_back(static_cast<double>(k + 1) / 64);
        wanted_units.push_back((37 * k + 100 * i) % 700);
      }
      EXPECT_EQ(npy_values<double>(times.row(i), name), wanted_times) << i;
      EXPECT_EQ(npy_values<int64_t>(units.row(i), name), wanted_units) << i;
    }
    EXPECT_EQ(integers(objects, "labels"), (Integers{0, 7, 14, 1}));
  }
}

TEST(Hdf5, FindsObjectsInLargeGroupsAndManyChunks) {
  const std::string bytes = hdf5_written_by("h5py_deep");
  const Hdf5Objects objects(as_bytes(bytes), "deep.h5");
  for (int64_t i = 0; i < 60; ++i)
    EXPECT_EQ(integers(objects, fmt::format("group_{}/numbers", i)), (Integers{i, i + 1}));
  const Integers numbers = integers(objects, "chunked");
  ASSERT_EQ(numbers.size(), 700U);
  for (int64_t i = 0; i < 700; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
}

TEST(Hdf5, ChunksBeyondTheEndAreLeftOutAndMissingOnesRefused) {
  const std::string bytes = hdf5_written_by("h5py_deep");
  const Hdf5Objects objects(as_bytes(bytes), "deep.h5");
  EXPECT_EQ(integers(objects, "shrunk"), (Integers{0, 1, 2}));
  EXPECT_ERROR(Hdf5Dataset(objects, "sparse", "deep.h5"), "deep.h5: 'sparse'", "from 0 on",
               "never written");
}

TEST(Hdf5, NamesWhatItDoesNotRead) {
  const auto expect_refused = [](const char* name, const char* path, const char* part) {
    const std::string bytes = hdf5_written_by(name);
    const Hdf5Objects objects(as_bytes(bytes), name);
    EXPECT_ERROR(Hdf5Dataset(objects, path, name), name, path, part);
  };
  expect_refused("h5py_f64", "spikes/rates", "found no dataset");
  expect_refused("h5py_f64", "nothing/times", "found no dataset");
  expect_refused("h5py_f64", "labels/times", "found no dataset");
  expect_refused("h5py_f64", "linked", "found no dataset");
  expect_refused("h5py_latest", "linked", "found no dataset");
  expect_refused("h5py_f64", "spikes", "wanted a dataset");
  expect_refused("h5py_f64", "matrix", "found 2 dimensions, wanted 1");
  expect_refused("h5py_f64", "text", "found 0 dimensions, wanted 1");
  expect_refused("h5py_f64", "words", "found rows of text");
  expect_refused("pytables_f16", "extra/keys", "class 3");
  expect_refused("h5py_f64", "unwritten", "was never written");
  expect_refused("h5py_lzf", "spikes/times", "filter 32000");
  expect_refused("h5py_latest_chunked", "spikes/times", "libver='latest'");
}

TEST(Hdf5, RowsAndNumbersAreNotMistakenForEachOther) {
  const std::string bytes = hdf5_written_by("h5py_f64");
  const Hdf5Objects objects(as_bytes(bytes), "f.h5");
  EXPECT_ERROR(Hdf5Dataset(objects, "labels", "f.h5").row(0), "f.h5: 'labels'", "wanted rows");
  EXPECT_ERROR(Hdf5Dataset(objects, "spikes/times", "f.h5").values(), "'spikes/times'",
               "found rows");
  EXPECT_EQ(integers(objects, "empty"), Integers{});
}

TEST(Hdf5, EveryCutIsRefused) {
  for (const char* name : {"h5py_latest", "h5py_f64"})
    expect_every_cut_refused(read_all, hdf5_written_by(name));
}

TEST(Hdf5, EveryFlippedBitIsReadOrRefused) {
  EXPECT_GT(refused_flips(read_all, hdf5_written_by("h5py_latest")), 1000);
}

TEST(Hdf5, EveryByteSetToAllOnesIsReadOrRefused) {
  for (const char* name : {"pytables_zlib", "h5py_gzip", "h5py_f64"}) {
    const std::string whole = hdf5_written_by(name);
    int refused = 0;
    for (size_t i = 0; i + 8 <= whole.size(); ++i) {
      std::string mutant = whole;
      mutant.replace(i, i % 8 + 1, i % 8 + 1, '\xff');
      refused += parses(read_all, mutant) ? 0 : 1;
    }
    EXPECT_GT(refused, 500) << name;
  }
}

// One dataset "d" of `n` rows whose records a test has made up.
std::string rows_file(uint64_t n, const std::string& records) {
  Hdf5Writer writer;
  const uint64_t dataset = writer.add_dataset(hdf5_rows_of(hdf5_float64()), n, records);
  return writer.file(writer.add_group({{"d", dataset}}));
}

TEST(Hdf5, ClaimsOfMoreThanTheFileHoldsAreRefused) {
  const std::string file = rows_file(4'000'000, std::string(16, '\0'));
  const Hdf5Objects objects(as_bytes(file), "f.h5");
  EXPECT_ERROR(Hdf5Dataset(objects, "d", "f.h5"), "f.h5: 'd'", "more than the file can hold");

  Hdf5Writer writer;
  const uint64_t rows = writer.add_rows<double>(hdf5_float64(), {{0.5, 0.25}});
  std::string longer = writer.file(writer.add_group({{"d", rows}}));
  const size_t record = longer.find(le<uint32_t>(2) + le<uint64_t>(48) + le<uint32_t>(1));
  ASSERT_NE(record, std::string::npos);
  longer.replace(record, 4, le<uint32_t>(3));
  const Hdf5Objects damaged(as_bytes(longer), "f.h5");
  EXPECT_ERROR(Hdf5Dataset(damaged, "d", "f.h5").row(0), "row 0 claims 3 numbers",
               "found 16 bytes");
}

TEST(Hdf5, MoreElementsThanAnySetHasAreRefusedThoughTheFileHoldsThem) {
  constexpr uint64_t kMany = (uint64_t{1} << 22) + 1;
  Hdf5Writer writer;
  const uint64_t bytes =
      writer.add_dataset(hdf5_integer(1, false), kMany, std::string(kMany, '\0'));
  const std::string file = writer.file(writer.add_group({{"d", bytes}}));
  const Hdf5Objects objects(as_bytes(file), "f.h5");
  EXPECT_ERROR(Hdf5Dataset(objects, "d", "f.h5"), "f.h5: 'd'", "claims 4194305 elements",
               "at most 4194304");
  const std::string row = rows_file(1, le(static_cast<uint32_t>(kMany)) + std::string(12, '\0'));
  const Hdf5Objects rows(as_bytes(row), "f.h5");
  EXPECT_ERROR(Hdf5Dataset(rows, "d", "f.h5").row(0), "row 0 claims 4194305 numbers",
               "at most 4194304");
}

TEST(Hdf5, RowsThatPointNowhereAreRefused) {
  const auto expect_refused = [](uint64_t heap, const char* part) {
    const std::string file = rows_file(1, le<uint32_t>(1) + le(heap) + le<uint32_t>(1));
    const Hdf5Objects objects(as_bytes(file), "f.h5");
    EXPECT_ERROR(Hdf5Dataset(objects, "d", "f.h5").row(0), "f.h5", part);
  };
  expect_refused(0, "where no row is");
  expect_refused(1'000'000, "lies at byte 1000000");
  expect_refused(UINT64_MAX, "row heap");
}

}  // namespace
}  // namespace spikenm::data
