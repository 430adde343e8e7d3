#include "spikenm/data/formats/idx.h"

#include "support/containers.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using test::be;

std::string idx_file(const std::vector<uint32_t>& sizes, const std::string& data) {
  std::string bytes = std::string("\0\0\x08", 3) + static_cast<char>(sizes.size());
  for (const uint32_t size : sizes) bytes += be(size);
  return bytes + data;
}

IdxArray parse(const std::string& bytes) {
  return parse_idx(as_bytes(bytes), "a-idx");
}

TEST(Idx, ReadsImagesAndLabels) {
  const std::string images = idx_file({2, 3, 1}, "abcdef"), labels = idx_file({4}, "\1\2\3\4");
  EXPECT_EQ(parse(images).shape, (std::vector<int64_t>{2, 3, 1}));
  EXPECT_EQ(as_text(parse(images).data), "abcdef");
  EXPECT_EQ(parse(labels).shape, std::vector<int64_t>{4});
  EXPECT_EQ(as_text(parse(labels).data), "\1\2\3\4");
}

TEST(Idx, ReadsArraysWithoutAxesAndWithoutValues) {
  EXPECT_EQ(parse(idx_file({}, "x")).data.size(), 1u);
  EXPECT_TRUE(parse(idx_file({0}, "")).data.empty());
  EXPECT_TRUE(parse(idx_file({5, 0, 7}, "")).data.empty());
}

TEST(Idx, OtherMagicIsRefused) {
  std::string bytes = idx_file({1}, "x");
  bytes[0] = '\x1f';
  EXPECT_ERROR(parse(bytes), "a-idx: not an IDX file: it begins with 1f 00");
  EXPECT_ERROR(parse(""), "a-idx: cut short: the IDX magic number");
}

TEST(Idx, OtherTypesAreRefused) {
  for (const char type : {'\x00', '\x09', '\x0b', '\x0c', '\x0d', '\x0e'}) {
    std::string bytes = idx_file({1}, "x");
    bytes[2] = type;
    EXPECT_ERROR(parse(bytes), "a-idx", "wanted 0x08");
  }
}

TEST(Idx, DataOfAnotherSizeIsRefused) {
  EXPECT_ERROR(parse(idx_file({2, 2}, "abc")), "a-idx: 3 bytes", "wanted 4: cut file");
  EXPECT_ERROR(parse(idx_file({2, 2}, "abcde")), "a-idx: 5 bytes", "wanted 4");
}

TEST(Idx, SizesThatOverflowAreRefused) {
  const uint32_t most = UINT32_MAX;
  EXPECT_ERROR(parse(idx_file({most, most, most}, "")), "a-idx", "more than a file can hold");
  EXPECT_ERROR(parse(idx_file({0, most, most, most}, "")), "a-idx", "more than a file can hold");
  EXPECT_ERROR(parse(idx_file({1u << 31, 1u << 31, 2}, "")), "more than a file can hold");
  EXPECT_ERROR(parse(idx_file({1u << 31, 1u << 31}, "")), "wanted 4611686018427387904: cut file");
}

TEST(Idx, EveryCutAndFlippedBitIsReadOrRefused) {
  const auto open = [](Bytes bytes) { parse_idx(bytes, "a-idx"); };
  const std::string bytes = idx_file({2, 3}, "abcdef");
  test::expect_every_cut_refused(open, bytes);
  EXPECT_EQ(test::refused_flips(open, bytes), 8 * (4 + 4 + 4));  // all but those of the data
}

}  // namespace
}  // namespace spikenm::data
