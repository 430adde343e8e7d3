#include "spikenm/data/formats/npz.h"

#include "support/containers.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using test::npy_file;
using test::zip_file;
using test::zip_part;

using Integers = std::vector<int64_t>;

Integers integers(const NpzReader& npz, std::string_view key) {
  return npy_values<int64_t>(npz.read(key).array, key);
}

std::string two_arrays(bool pack) {
  return zip_file({zip_part("t.npy", npy_file("'<i2'", "(2,)", std::string("\1\0\2\0", 4)), pack),
                   zip_part("p.npy", npy_file("'|b1'", "(3,)", std::string("\1\0\1", 3)), pack)});
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  for (const bool pack : {false, true}) {
    const std::string bytes = two_arrays(pack);
    const NpzReader npz(as_bytes(bytes), "a.npz");
    EXPECT_EQ(npz.keys(), (std::vector<std::string>{"t", "p"}));
    EXPECT_TRUE(npz.has("t"));
    EXPECT_FALSE(npz.has("t.npy"));
    EXPECT_EQ(integers(npz, "t"), (Integers{1, 2}));
    EXPECT_EQ(integers(npz, "p"), (Integers{1, 0, 1}));
  }
}

// numpy.savez_compressed of t = int64 [1, 2] and p = [True, False].
TEST(Npz, ReadsWhatNumpyWrites) {
  const std::string bytes = test::from_hex(
      "504b03042d0000000800000021000cfc1ce9ffffffffffffffff05001400742e6e70790100100090"
      "000000000000004a000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a1"
      "aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a463a9a3a0ab50a14"
      "002e4606086082d200504b03042d000000080000002100ee19bb5dffffffffffffffff0500140070"
      "2e6e707901001000820000000000000046000000000000009bec17ea1b10c9c850c650ad9e925a9c"
      "5ca46ea5a05e9364a8aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f9"
      "1a463a9a3a0ab50a14002e460600504b01022d032d0000000800000021000cfc1ce94a0000009000"
      "0000050000000000000000000000800100000000742e6e7079504b01022d032d0000000800000021"
      "00ee19bb5d4600000082000000050000000000000000000000800181000000702e6e7079504b0506"
      "000000000200020066000000fe0000000000");
  const NpzReader npz(as_bytes(bytes), "a.npz");
  EXPECT_EQ(npz.keys(), (std::vector<std::string>{"t", "p"}));
  EXPECT_EQ(integers(npz, "t"), (Integers{1, 2}));
  EXPECT_EQ(integers(npz, "p"), (Integers{1, 0}));
}

TEST(Npz, EntryKeepsItsBytesWhenMoved) {
  const std::string bytes = two_arrays(true);
  std::vector<NpzEntry> entries;
  {
    const NpzReader npz(as_bytes(bytes), "a.npz");
    for (int i = 0; i < 9; ++i) entries.push_back(npz.read("p"));
  }
  entries.erase(entries.begin());
  for (const NpzEntry& entry : entries)
    EXPECT_EQ(npy_values<int64_t>(entry.array, "p"), (Integers{1, 0, 1}));
}

TEST(Npz, OtherMembersAreNoKeys) {
  const std::string bytes = zip_file({zip_part("README", "x"), zip_part("a.npy", "x")});
  EXPECT_EQ(NpzReader(as_bytes(bytes), "a.npz").keys(), std::vector<std::string>{"a"});
}

TEST(Npz, AbsentKeyNamesThoseThereAre) {
  const std::string bytes = two_arrays(false);
  EXPECT_ERROR(NpzReader(as_bytes(bytes), "a.npz").read("frames"),
               "a.npz: found arrays 't', 'p', wanted 'frames'");
}

TEST(Npz, ErrorsNameTheFileAndTheArray) {
  const std::string bytes = zip_file({zip_part("t.npy", "no array")});
  EXPECT_ERROR(NpzReader(as_bytes(bytes), "a.npz").read("t"), "a.npz: t.npy: not an npy file");
}

TEST(Npz, EveryCutAndFlippedBitIsReadOrRefused) {
  const auto open = [](Bytes bytes) {
    const NpzReader npz(bytes, "a.npz");
    for (const std::string& key : npz.keys()) (void)npz.read(key);
  };
  test::expect_every_cut_refused(open, two_arrays(true));
  for (const bool pack : {false, true}) {
    const std::string bytes = two_arrays(pack);
    EXPECT_GT(test::refused_flips(open, bytes), static_cast<int>(4 * bytes.size()));
  }
}

}  // namespace
}  // namespace spikenm::data
