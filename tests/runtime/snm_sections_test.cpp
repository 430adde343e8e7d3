#include "spikenm/runtime/snm_sections.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::runtime {
namespace {

std::string example() {
  return encode_sections({{kGraphSection, 0, as_bytes("{}")}, {kMetaSection, 7, as_bytes("abc")}});
}

TEST(SnmSections, ComeBackAsTheyWere) {
  const std::string file = example();
  const std::vector<Section> sections = decode_sections(as_bytes(file), "f");
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].kind, kGraphSection);
  EXPECT_EQ(as_text(sections[0].bytes), "{}");
  EXPECT_EQ(sections[1].node, 7u);
  EXPECT_EQ(as_text(sections[1].bytes), "abc");
}

TEST(SnmSections, BeginAtMultiplesOf64) {
  EXPECT_EQ(example().find("{}"), 128u);
  EXPECT_EQ(example().find("abc"), 192u);
}

TEST(SnmSections, EveryCutIsRefused) {
  const std::string file = example();
  for (size_t n = 0; n < file.size(); ++n)
    EXPECT_ERROR(decode_sections(as_bytes(file.substr(0, n)), "f.snm"), "f.snm");
  EXPECT_ERROR(decode_sections(as_bytes(file + "x"), "f.snm"), "f.snm", "1 bytes follow");
  EXPECT_ERROR(decode_sections(as_bytes(file.substr(0, 194)), "f.snm"), "cut short");
}

TEST(SnmSections, EveryFlippedBitIsRefused) {
  const std::string file = example();
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    EXPECT_ERROR(decode_sections(as_bytes(damaged), "f.snm"), "f.snm");
  }
}

TEST(SnmSections, ANewerVersionIsNamed) {
  std::string file = example();
  file[8] = 3;
  EXPECT_ERROR(decode_sections(as_bytes(file), "f.snm"), "f.snm", "version 3", "wanted 1 to 2");
}

TEST(SnmSections, BitsAreOfVersion2) {
  const std::vector<Section> sections{{kBitsSection, 1, as_bytes("abc")}};
  EXPECT_EQ(decode_sections(as_bytes(encode_sections(sections, 2)), "f").size(), 1u);
  EXPECT_ERROR(decode_sections(as_bytes(encode_sections(sections, 1)), "f"),
               "section WBIT of node 1 in version 1, wanted it in 2 or later");
}

TEST(SnmSections, ATableThatLiesIsRefused) {
  std::string file = example();
  file[24 + 8] = 64;  // the first section's offset
  fit_sums(file);
  EXPECT_ERROR(decode_sections(as_bytes(file), "f"), "begins at byte 64, wanted 128");
  for (const size_t zeros : {size_t{16}, size_t{24 + 28}}) {  // of the header, of an entry
    file = example();
    file[zeros] = 5;
    fit_sums(file);
    EXPECT_ERROR(decode_sections(as_bytes(file), "f"), "f: found 5 where the format has a zero");
  }
  file = example();
  file[150] = 1;
  EXPECT_ERROR(decode_sections(as_bytes(file), "f"), "between sections");
}

}  // namespace
}  // namespace spikenm::runtime
