#include "spikenm/data/formats/inflate.h"

#include "support/containers.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using test::deflate_raw;
using test::gzip_file;

std::string noise(size_t n_bytes) {
  std::string bytes;
  for (uint32_t state = 1; bytes.size() < n_bytes; state = state * 1664525 + 1013904223)
    bytes += static_cast<char>(state >> 24);
  return bytes;
}

std::string unzipped(const std::string& bytes, size_t limit = size_t{1} << 30) {
  return gunzip(as_bytes(bytes), "a.gz", {limit, "data.key"});
}
std::string inflated(const std::string& bytes, size_t size) {
  return inflate_raw(as_bytes(bytes), size, "a");
}

TEST(Inflate, GzipIsKnownByItsFirstTwoBytes) {
  EXPECT_TRUE(is_gzip(as_bytes("\x1f\x8b")));
  EXPECT_FALSE(is_gzip(as_bytes("\x1f")));
  EXPECT_FALSE(is_gzip({}));
  EXPECT_FALSE(is_gzip(as_bytes("PK")));
}

TEST(Inflate, GzipComesBackWhole) {
  for (const size_t size : {0, 1, 4095, 4096, 4097, 300'000}) {
    const std::string content = noise(size);
    EXPECT_EQ(unzipped(gzip_file(content)), content) << size;
    EXPECT_EQ(unzipped(gzip_file(content), size), content) << size;
  }
}

// What `printf hi | gzip -n` writes.
TEST(Inflate, ReadsWhatGzipWrites) {
  const std::string file("\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\xc8\x04\0\xac\x2a\x93\xd8\x02\0\0\0",
                         22);
  EXPECT_EQ(unzipped(file), "hi");
}

TEST(Inflate, MembersOfOneGzipFollowEachOther) {
  const std::string file = gzip_file("one ") + gzip_file("") + gzip_file(noise(70'000));
  EXPECT_EQ(unzipped(file), "one " + noise(70'000));
}

// Each costs its own size alone: a buffer cleared per member would make this quadratic.
TEST(Inflate, ManySmallMembersAreCheap) {
  const std::string member = gzip_file("x");
  std::string file;
  for (int i = 0; i < 100'000; ++i) file += member;
  EXPECT_EQ(unzipped(file), std::string(100'000, 'x'));
}

TEST(Inflate, ZeroPaddingMayFollowAGzip) {
  EXPECT_EQ(unzipped(gzip_file("abc") + std::string(1000, '\0')), "abc");
}

TEST(Inflate, OtherBytesAfterAGzipAreRefused) {
  EXPECT_ERROR(unzipped(gzip_file("abc") + "junk"), "a.gz", "4 bytes that are not gzip's");
  EXPECT_ERROR(unzipped(gzip_file("abc") + std::string(3, '\0') + "x"), "4 bytes");
}

TEST(Inflate, WhatIsNotGzipIsRefused) {
  EXPECT_ERROR(unzipped(""), "a.gz", "not a gzip file");
  EXPECT_ERROR(unzipped("PK\3\4"), "a.gz", "not a gzip file");
}

TEST(Inflate, GzipBeyondTheLimitIsRefused) {
  const std::string many(10'000'000, 'z'), packed = gzip_file(many);
  ASSERT_LT(16 * packed.size(), 1'000'000u);
  EXPECT_ERROR(unzipped(packed, 1'000'000), "a.gz: would unpack to more than 1000000 bytes",
               "data.key lifts the limit");
  EXPECT_ERROR(unzipped(packed, 8 << 20), "more than 8 MB");
  EXPECT_ERROR(unzipped(packed + packed, 10'000'000), "more than 10000000 bytes");
  EXPECT_EQ(unzipped(packed, 10'000'000), many);
  // What a file becomes is never refused up to 16 times its own size.
  EXPECT_EQ(unzipped(gzip_file("abc"), 1), "abc");
}

TEST(Inflate, EveryCutGzipIsRefused) {
  const auto parse = [](Bytes bytes) { return gunzip(bytes, "a.gz", UnpackLimit{}); };
  test::expect_every_cut_refused(parse, gzip_file("hello, hello, hello"));
}

TEST(Inflate, DamagedGzipIsRefused) {
  const auto parse = [](Bytes bytes) { return gunzip(bytes, "a.gz", UnpackLimit{}); };
  const std::string file = gzip_file("hello, hello, hello");
  const int n_harmless = 8 * (4 + 1 + 1);  // time, level and system say nothing of the content
  EXPECT_GE(test::refused_flips(parse, file), static_cast<int>(8 * file.size()) - n_harmless - 8);
  std::string damaged = file;
  damaged[file.size() - 6] ^= 1;  // the crc
  EXPECT_ERROR(unzipped(damaged), "a.gz", "damaged");
}

TEST(Inflate, RawStreamComesBackWhole) {
  for (const size_t size : {0, 1, 4095, 4096, 4097, 300'000})
    EXPECT_EQ(inflated(deflate_raw(noise(size)), size), noise(size));
  const std::string zeros(5'000'000, '\0');
  EXPECT_EQ(inflated(deflate_raw(zeros), zeros.size()), zeros);
}

TEST(Inflate, RawStreamOfAnotherSizeIsRefused) {
  const std::string packed = deflate_raw("abcdef");
  EXPECT_ERROR(inflated(packed, 7), "a: unpacks to 6 bytes, wanted 7");
  EXPECT_ERROR(inflated(packed, 5), "a: unpacks to more than the 5 bytes wanted");
  EXPECT_ERROR(inflated(packed + "x", 6), "a: 1 bytes follow");
}

TEST(Inflate, ClaimOfALargeSizeTakesNoMemory) {
  EXPECT_ERROR(inflated(deflate_raw("abc"), size_t{1} << 60), "unpacks to 3 bytes");
  EXPECT_ERROR(inflated(deflate_raw("abc"), SIZE_MAX), "a: claims");
}

TEST(Inflate, CutAndDamagedRawStreamsAreRefused) {
  const std::string packed = deflate_raw(noise(300));
  for (size_t n_bytes = 0; n_bytes < packed.size(); ++n_bytes)
    EXPECT_ERROR(inflated(packed.substr(0, n_bytes), 300), "a: ");
  EXPECT_ERROR(inflated("", 0), "cut short");
  EXPECT_ERROR(inflated("\xff\xff\xff", 3), "damaged");
}

}  // namespace
}  // namespace spikenm::data
