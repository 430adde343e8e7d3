#include "spikenm/data/formats/zip.h"

#include "support/containers.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using test::le;
using test::zip_file;
using test::zip_part;
using test::ZipPart;

// Opens an archive and reads all of it.
std::vector<std::string> read_all(Bytes bytes) {
  const ZipReader zip(bytes, "a.zip");
  std::vector<std::string> contents;
  for (const ZipMember& member : zip.members()) contents.push_back(zip.read(member));
  return contents;
}
std::vector<std::string> read_all(const std::string& bytes) {
  return read_all(as_bytes(bytes));
}

void expect_refused(const ZipPart& part, const char* reason) {
  EXPECT_ERROR(read_all(zip_file({part})), "a.zip", reason);
}

std::string two_members() {
  return zip_file({zip_part("a/one.txt", "first"), zip_part("two", std::string(500, 'z'), true)});
}

TEST(Zip, ReadsStoredAndDeflatedMembers) {
  const std::string bytes = two_members();
  const ZipReader zip(as_bytes(bytes), "a.zip");
  ASSERT_EQ(zip.members().size(), 2u);
  EXPECT_EQ(zip.members()[0].name, "a/one.txt");
  EXPECT_EQ(zip.members()[1].size, 500u);
  ASSERT_NE(zip.find("two"), nullptr);
  EXPECT_EQ(zip.read(*zip.find("two")), std::string(500, 'z'));
  EXPECT_EQ(zip.read(*zip.find("a/one.txt")), "first");
  EXPECT_EQ(zip.find("one.txt"), nullptr);
}

TEST(Zip, StoredMemberIsSeenWhereItLies) {
  const std::string bytes = two_members();
  const ZipReader zip(as_bytes(bytes), "a.zip");
  const Bytes view = zip.view(*zip.find("a/one.txt"));
  EXPECT_EQ(as_text(view), "first");
  EXPECT_EQ(as_text(view).data(), bytes.data() + bytes.find("first"));
  EXPECT_ERROR(zip.view(*zip.find("two")), "a.zip", "'two'", "packed");
}

TEST(Zip, EmptyArchiveAndEmptyMembersAreRead) {
  EXPECT_TRUE(read_all(zip_file({})).empty());
  EXPECT_EQ(read_all(zip_file({zip_part("a", ""), zip_part("b", "", true)})),
            (std::vector<std::string>{"", ""}));
}

TEST(Zip, FoldersAreLeftOut) {
  const std::string bytes = zip_file({zip_part("a/", ""), zip_part("a/b", "x")});
  const ZipReader zip(as_bytes(bytes), "a.zip");
  ASSERT_EQ(zip.members().size(), 1u);
  EXPECT_EQ(zip.members()[0].name, "a/b");
}

TEST(Zip, CommentMayFollowTheEndRecord) {
  const std::vector<ZipPart> parts = {zip_part("a", "x")};
  EXPECT_EQ(read_all(zip_file(parts, "made by hand")), std::vector<std::string>{"x"});
  EXPECT_EQ(read_all(zip_file(parts, std::string(65535, 'c'))), std::vector<std::string>{"x"});
  // A comment that looks like the record it follows.
  EXPECT_EQ(read_all(zip_file(parts, "PK\5\6" + std::string(18, 'c'))),
            std::vector<std::string>{"x"});
}

TEST(Zip, SizesMayStandInZip64Extras) {
  ZipPart part = zip_part("t.npy", "content");
  const auto size = uint64_t{part.size};
  part.local_extra = part.extra = le<uint16_t>(1) + le<uint16_t>(16) + le(size) + le(size);
  part.extra = le<uint16_t>(0x5455) + le<uint16_t>(1) + "t" + part.extra;
  part.packed = part.size = UINT32_MAX;
  EXPECT_EQ(read_all(zip_file({part})), std::vector<std::string>{"content"});
  part.extra.pop_back();
  expect_refused(part, "cut short: extra field");
}

// The directory's place in a zip64 end record, as archives of more than 65535 members have it.
TEST(Zip, Zip64EndRecordIsFollowed) {
  const std::string plain = zip_file({zip_part("a", "x")});
  const std::string body = plain.substr(0, plain.size() - 22);
  const uint64_t offset = body.find("PK\1\2"), size = body.size() - offset;
  const auto archive = [&](uint64_t entries, uint64_t record_at) {
    return body + "PK\6\6" + le<uint64_t>(44) + le<uint32_t>(0) + le<uint64_t>(0) +
           le<uint64_t>(entries) + le(entries) + le(size) + le(offset) + "PK\6\7" +
           le<uint32_t>(0) + le(record_at) + le<uint32_t>(1) + "PK\5\6" + le<uint32_t>(0) +
           le<uint32_t>(UINT32_MAX) + le<uint64_t>(UINT64_MAX) + le<uint16_t>(0);
  };
  EXPECT_EQ(read_all(archive(1, body.size())), std::vector<std::string>{"x"});
  EXPECT_ERROR(read_all(archive(1, body.size() - 1)), "no zip64 end record");
  EXPECT_ERROR(read_all(archive(1, UINT64_MAX - 3)), "outside the archive");
  EXPECT_ERROR(read_all(archive(uint64_t{1} << 60, body.size())), "more than its directory");
}

// numpy.savez of t = int64 [1, 2]: a zip64 extra in the local header alone.
TEST(Zip, ReadsWhatNumpyWrites) {
  const std::string bytes = test::from_hex(
      "504b03042d0000000000000021000cfc1ce9ffffffffffffffff05001400742e6e70790100100090"
      "000000000000009000000000000000934e554d5059010076007b276465736372273a20273c693827"
      "2c2027666f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028322c292c"
      "207d2020202020202020202020202020202020202020202020202020202020202020202020202020"
      "202020202020202020202020202020202020202020200a0100000000000000020000000000000050"
      "4b01022d032d0000000000000021000cfc1ce9900000009000000005000000000000000000000080"
      "0100000000742e6e7079504b0506000000000100010033000000c70000000000");
  const ZipReader zip(as_bytes(bytes), "a.npz");
  ASSERT_NE(zip.find("t.npy"), nullptr);
  EXPECT_EQ(zip.read(*zip.find("t.npy")).size(), 144u);
}

TEST(Zip, TwoMembersOfOneNameAreRefused) {
  EXPECT_ERROR(read_all(zip_file({zip_part("a", "x"), zip_part("b", "y"), zip_part("a", "z")})),
               "a.zip: two members are called 'a'");
}

TEST(Zip, NamesThatLeadElsewhereAreRefused) {
  using namespace std::string_literals;
  for (const std::string& name :
       {""s, "/etc/passwd"s, ".."s, "../a"s, "a/../../b"s, "a/.."s, "a\\b"s, "a\0b"s})
    EXPECT_ERROR(read_all(zip_file({zip_part(name, "x")})), "a.zip", "may lead elsewhere");
  for (const std::string& name : {"..a"s, "a../b"s, "a..b"s, "..."s, "a/.b"s})
    EXPECT_EQ(read_all(zip_file({zip_part(name, "x")})), std::vector<std::string>{"x"}) << name;
}

TEST(Zip, NamesAreShownInOneLine) {
  EXPECT_ERROR(read_all(zip_file({zip_part("../a\n\x80" + std::string(60'000, 'n'), "x")})),
               "'../a\\x0a\\x80nnn", "nnn…'");
}

TEST(Zip, EncryptedMembersAreRefused) {
  for (const int bit : {0, 6, 13}) {
    ZipPart part = zip_part("a", "x");
    part.flags = static_cast<uint16_t>(1 << bit);
    expect_refused(part, "'a': is encrypted");
  }
}

TEST(Zip, OtherMethodsAreRefused) {
  for (const int method : {1, 9, 12, 14, 93, 95}) {
    ZipPart part = zip_part("a", "x");
    part.method = static_cast<uint16_t>(method);
    expect_refused(part, "wanted 0 (stored) or 8 (deflated)");
  }
}

TEST(Zip, MembersBeyondWhatDeflateGivesAreRefusedBeforeUnpacking) {
  ZipPart part = zip_part("bomb", std::string(100'000, '\0'), true);
  part.size = part.packed * 1032 + 1032;
  expect_refused(part, "more than deflate can give");
  part.size = UINT32_MAX;
  part.extra = le<uint16_t>(1) + le<uint16_t>(8) + le((uint64_t{1} << 30) + 1);
  expect_refused(part, "more than 256 MB, the most that is allowed; data.max_unpacked_mb lifts");
}

TEST(Zip, FalseSizesAreRefused) {
  ZipPart part = zip_part("a", "abc");
  part.size = 4;
  expect_refused(part, "stored in 3 bytes, wanted 4");
  part = zip_part("a", "abc", true);
  part.size = 4;
  expect_refused(part, "unpacks to 3 bytes, wanted 4");
  part.size = 2;
  expect_refused(part, "more than the 2 bytes wanted");
  part.packed = 1000;
  expect_refused(part, "does not fit its place");
}

TEST(Zip, OverlappingMembersAreRefused) {
  // The first member's packed size reaches over the second's header.
  ZipPart first = zip_part("a", "abc");
  first.packed = first.size = 20;
  EXPECT_ERROR(read_all(zip_file({first, zip_part("b", "x")})), "'a'", "does not fit its place");
  // Both entries point at one local header.
  std::string bytes = zip_file({zip_part("a", "abc"), zip_part("b", "x")});
  bytes.replace(bytes.rfind("PK\1\2") + 42, 4, le<uint32_t>(0));
  EXPECT_ERROR(read_all(bytes), "does not fit its place");
  // The local header's extra field pushes the content over the directory.
  bytes = zip_file({zip_part("a", "abc")});
  bytes.replace(28, 2, le<uint16_t>(1));
  EXPECT_ERROR(read_all(bytes), "'a': cut short: content");
}

TEST(Zip, LocalHeaderOfAnotherMemberIsRefused) {
  std::string bytes = zip_file({zip_part("a", "abc")});
  bytes[30] = 'b';
  EXPECT_ERROR(read_all(bytes), "'a'", "local header is that of 'b'");
  bytes[0] = 'Q';
  EXPECT_ERROR(read_all(bytes), "no local header at byte 0");
}

TEST(Zip, DamagedContentIsRefused) {
  ZipPart part = zip_part("a", "abc");
  part.content = "abd";
  expect_refused(part, "'a' is damaged: its crc is");
  part = zip_part("a", std::string(50, 'q'), true);
  part.crc ^= 1;
  expect_refused(part, "'a' is damaged: its crc is");
}

TEST(Zip, WhatIsNotAZipIsRefused) {
  EXPECT_ERROR(read_all(""), "a.zip: not a zip archive");
  EXPECT_ERROR(read_all(std::string(100'000, 'P')), "a.zip: not a zip archive");
  EXPECT_ERROR(read_all(zip_file({zip_part("a", "x")}) + "junk"), "a.zip: not a zip archive");
}

TEST(Zip, EveryCutIsRefused) {
  test::expect_every_cut_refused([](Bytes bytes) { read_all(bytes); }, two_members());
}

TEST(Zip, EveryFlippedBitIsReadOrRefused) {
  const std::string bytes = two_members();
  const int refused = test::refused_flips([](Bytes b) { read_all(b); }, bytes);
  EXPECT_GT(refused, static_cast<int>(8 * bytes.size() / 2));
}

TEST(Zip, EveryFlippedBitOfTheContentIsRefused) {
  const std::string bytes = zip_file({zip_part("a", "0123456789")});
  for (size_t at = 31; at < 41; ++at) {
    std::string mutant = bytes;
    mutant[at] = static_cast<char>(mutant[at] ^ 4);
    EXPECT_ERROR(read_all(mutant), "its crc is");
  }
}

}  // namespace
}  // namespace spikenm::data
