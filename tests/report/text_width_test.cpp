#include "spikenm/report/text_width.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

using Lines = std::vector<std::string>;

TEST(TextWidth, IsTheSumOfTheCharacters) {
  EXPECT_EQ(text_width("", 12), 0);
  EXPECT_DOUBLE_EQ(text_width("0", 10), 6.36);
  EXPECT_DOUBLE_EQ(text_width("00", 10), 12.72);
  EXPECT_GT(text_width("w", 10), text_width("i", 10));
  EXPECT_DOUBLE_EQ(text_width("τ", 10), text_width("±", 10));  // bytes are not characters
}

TEST(WrapText, BreaksBehindSpacesAndPunctuation) {
  EXPECT_EQ(wrap_text("short", 100, 10, 3), (Lines{"short"}));
  EXPECT_EQ(wrap_text("one two", 30, 10, 3), (Lines{"one ", "two"}));
  EXPECT_EQ(wrap_text("one,two_three", 40, 10, 3), (Lines{"one,", "two_", "three"}));
  EXPECT_TRUE(wrap_text("one two three four", 30, 10, 3).empty());
  EXPECT_TRUE(wrap_text("unbreakable", 20, 10, 3).empty());
}

}  // namespace
}  // namespace spikenm::report
