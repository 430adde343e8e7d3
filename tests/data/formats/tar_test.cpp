#include "spikenm/data/formats/tar.h"

#include "support/containers.h"
#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using Names = std::vector<std::string>;

// Writes the checksum of a header block.
std::string sealed(std::string block) {
  block.replace(148, 8, "        ");
  uint32_t sum = 0;
  for (const char c : block) sum += static_cast<uint8_t>(c);
  return block.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
}

std::string header(const std::string& name, size_t size, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 7, "0000644");
  block.replace(124, 11, fmt::format("{:011o}", size));
  block[156] = type;
  block.replace(257, 8,
                std::string("ustar\0"
                            "00",
                            8));
  return sealed(block);
}

std::string padded(const std::string& content) {
  return content + std::string((512 - content.size() % 512) % 512, '\0');
}
std::string member(const std::string& name, const std::string& content, char type = '0') {
  return header(name, content.size(), type) + padded(content);
}
std::string pax(const std::string& key, const std::string& value) {
  const std::string tail = " " + key + "=" + value + "\n";
  size_t length = tail.size() + 1;
  while (fmt::format("{}", length).size() + tail.size() != length) ++length;
  return fmt::format("{}{}", length, tail);
}
const std::string kEnd(1024, '\0');

std::vector<TarMember> read(const std::string& bytes) {
  return read_tar(as_bytes(bytes), "a.tar");
}
Names names(const std::string& bytes) {
  Names names;
  for (const TarMember& found : read(bytes)) names.push_back(found.name);
  return names;
}

TEST(Tar, ReadsFilesInTheirOrder) {
  const std::string bytes =
      member("b/one", "first") + member("a", "") + member("c", std::string(512, 'c')) + kEnd;
  const std::vector<TarMember> members = read(bytes);
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].name, "b/one");
  EXPECT_EQ(as_text(members[0].content), "first");
  EXPECT_EQ(as_text(members[0].content).data(), bytes.data() + 512);
  EXPECT_TRUE(members[1].content.empty());
  EXPECT_EQ(as_text(members[2].content), std::string(512, 'c'));
  EXPECT_TRUE(read(kEnd).empty());
}

TEST(Tar, FoldersLinksAndDevicesAreLeftOut) {
  std::string bytes = member("old/", "", '\0');
  for (const char type : {'1', '2', '3', '4', '5', '6'}) {
    std::string block = header("x", 0, type);
    block.replace(124, 11, "00000001000");  // a link may tell its target's size
    bytes += sealed(block);
  }
  EXPECT_EQ(names(bytes + member("V", "label", 'V') + member("f", "x") + kEnd), Names{"f"});
}

TEST(Tar, OldAndContiguousFilesAreFiles) {
  EXPECT_EQ(names(member("a", "x", '\0') + member("b", "y", '7') + kEnd), (Names{"a", "b"}));
}

TEST(Tar, PrefixOfUstarComesBeforeTheName) {
  std::string block = header("name", 0);
  block.replace(345, 6, "pre/ix");
  EXPECT_EQ(names(sealed(block) + kEnd), Names{"pre/ix/name"});
  block.replace(257, 8, std::string("ustar  \0", 8));  // GNU keeps times there
  EXPECT_EQ(names(sealed(block) + kEnd), Names{"name"});
}

TEST(Tar, NameMayFillItsField) {
  const std::string name(100, 'n');
  EXPECT_EQ(names(header(name, 0) + kEnd), Names{name});
}

TEST(Tar, GnuLongNamesAreRead) {
  const std::string name = "long/" + std::string(600, 'n');
  const std::string bytes = member("././@LongLink", name + '\0', 'L') +
                            member("././@LongLink", "target", 'K') + member("cut", "x") +
                            member("short", "y") + kEnd;
  EXPECT_EQ(names(bytes), (Names{name, "short"}));
}

TEST(Tar, PaxNamesAndSizesAreRead) {
  const std::string name = "pax/" + std::string(600, 'n');
  const std::string records = pax("mtime", "1.5") + pax("path", name) + pax("size", "5");
  const std::string bytes = member("g", pax("comment", "x"), 'g') + member("x", records, 'x') +
                            header("cut", 0) + padded("12345") + member("short", "y") + kEnd;
  const std::vector<TarMember> members = read(bytes);
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].name, name);
  EXPECT_EQ(as_text(members[0].content), "12345");
  EXPECT_EQ(members[1].name, "short");
}

TEST(Tar, DamagedPaxRecordsAreRefused) {
  for (const char* record :
       {"x", "5 a=b", "0 a=b\n", "3 a\n", "99 a=b\n", "6 a=b\n\n", "7\na=b\n\n",
        "99999999999999999999 a=b\n", "5 ab\n", "-6 a=b\n", "2 \n", "1\n"})
    EXPECT_ERROR(read(member("x", record, 'x') + member("f", "") + kEnd), "a.tar: damaged");
  for (const char* size : {"", "x", "-1", "1x", "9223372036854775808"})
    EXPECT_ERROR(read(member("x", pax("size", size), 'x') + member("f", "") + kEnd), "pax size");
  EXPECT_ERROR(read(member("x", pax("size", "9223372036854775807"), 'x') + member("f", "") + kEnd),
               "a.tar: cut short");
}

TEST(Tar, SizesInBytesOfBase256AreRead) {
  std::string block = header("big", 0);
  block.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\5", 12));
  EXPECT_EQ(as_text(read(sealed(block) + padded("12345") + kEnd)[0].content), "12345");
  block.replace(124, 12, std::string("\x80\0\0\1\0\0\0\0\0\0\0\5", 12));
  EXPECT_ERROR(read(sealed(block) + kEnd), "a.tar: the size of the member at byte 0 is too large");
  block.replace(124, 12, std::string(12, '\xff'));
  EXPECT_ERROR(read(sealed(block) + kEnd), "too large");
}

TEST(Tar, OctalNumbersMayBePadded) {
  std::string block = header("a", 0);
  for (const char* size : {"         5 ", "00000000005", "5          ", "5\0           "}) {
    block.replace(124, 12, std::string(12, '\0')).replace(124, 11, std::string(size, 11));
    EXPECT_EQ(as_text(read(sealed(block) + padded("12345") + kEnd)[0].content), "12345") << size;
  }
  block.replace(124, 11, "0000000000x");
  EXPECT_ERROR(read(sealed(block) + kEnd), "a.tar", "'0000000000x'", "octal");
}

TEST(Tar, SumsOfSignedBytesAreAccepted) {
  std::string block = header("\xe9t\xe9", 0);
  int sum = 8 * ' ';
  for (size_t i = 0; i < 512; ++i) sum += 148 <= i && i < 156 ? 0 : static_cast<int8_t>(block[i]);
  block.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  EXPECT_EQ(names(block + kEnd), Names{"\xe9t\xe9"});
}

TEST(Tar, WrongSumsAreRefused) {
  std::string bytes = member("a", "x") + member("b", "y") + kEnd;
  bytes[1024] = 'c';
  EXPECT_ERROR(read(bytes), "a.tar", "header at byte 1024 has checksum");
  EXPECT_ERROR(read(std::string(2048, 'x')), "a.tar", "wanted an octal number");
}

TEST(Tar, LeadingDotIsDropped) {
  EXPECT_EQ(names(member("./", "", '5') + member("./a", "x") + member("././/b/./c", "y") + kEnd),
            (Names{"a", "b/./c"}));
}

TEST(Tar, NamesThatLeadElsewhereAreRefused) {
  for (const char* name : {"/etc/passwd", "../a", "a/../../b", "a/..", "a\\b", "./../a", ""})
    EXPECT_ERROR(read(member(name, "x") + kEnd), "a.tar", "may lead elsewhere");
  const std::string nul = pax("path", std::string("a\0b", 3));
  EXPECT_ERROR(read(member("x", nul, 'x') + member("f", "x") + kEnd), "may lead elsewhere");
}

TEST(Tar, TwoMembersOfOneNameAreRefused) {
  EXPECT_ERROR(read(member("a", "x") + member("b", "y") + member("./a", "z") + kEnd),
               "a.tar: two members are called 'a'");
}

TEST(Tar, SparseMembersAreRefused) {
  EXPECT_ERROR(read(member("a", "x", 'S') + kEnd), "a.tar: has sparse members");
  EXPECT_ERROR(read(member("x", pax("GNU.sparse.major", "1"), 'x') + member("f", "x") + kEnd),
               "a.tar: has sparse members");
}

TEST(Tar, EveryCutIsRefused) {
  const auto open = [](Bytes bytes) { read_tar(bytes, "a.tar"); };
  // One zero block is enough of an end; what follows it is padding.
  test::expect_every_cut_refused(
      open, member("x", pax("path", "p"), 'x') + member("a", "abc") + std::string(512, '\0'));
}

TEST(Tar, EveryFlippedBitIsReadOrRefused) {
  const auto open = [](Bytes bytes) { read_tar(bytes, "a.tar"); };
  const std::string bytes = member("x", pax("path", "p"), 'x') + member("a", "abc") + kEnd;
  EXPECT_GT(test::refused_flips(open, bytes), 2 * 8 * 500);
}

}  // namespace
}  // namespace spikenm::data
