#include "spikenm/report/stroke_font.h"

#include <gtest/gtest.h>

#include <string>

namespace spikenm::report {
namespace {

TEST(StrokeFont, EveryPrintableLetterHasItsOwnShape) {
  const PenText box = pen_text("\x01");
  for (char c = '!'; c <= '~'; ++c) {
    const PenText pen = pen_text(std::string(1, c));
    EXPECT_FALSE(pen.strokes.empty()) << c;
    const bool is_box = pen.strokes.size() == 1 && pen.strokes[0].size() == 5 &&
                        pen.strokes[0][1].y == box.strokes[0][1].y &&
                        pen.strokes[0][2].x == box.strokes[0][2].x;
    EXPECT_FALSE(is_box) << c;
  }
}

TEST(StrokeFont, InkStaysInsideTheLetter) {
  for (char c = '!'; c <= '~'; ++c) {
    const PenText pen = pen_text(std::string(1, c));
    for (const auto& stroke : pen.strokes) {
      EXPECT_GE(stroke.size(), 2u) << c;
      for (const Point& p : stroke) {
        EXPECT_GT(p.x, -0.01) << c;
        EXPECT_LT(p.x, pen.width + 0.01) << c;
        EXPECT_GT(p.y, -0.3) << c;
        EXPECT_LT(p.y, 0.85) << c;
      }
    }
  }
}

TEST(StrokeFont, WidthsAddUp) {
  EXPECT_NEAR(pen_text("ab").width, pen_text("a").width + pen_text("b").width, 1e-12);
  EXPECT_EQ(pen_text("").width, 0);
  EXPECT_GT(pen_text("W").width, pen_text("i").width);
  EXPECT_EQ(pen_text("0").width, pen_text("1").width);  // columns of digits line up
}

TEST(StrokeFont, LettersOutsideAsciiAreOneEach) {
  for (const char* letter : {"λ", "τ", "Δ", "±", "µ", "→", "−"}) {
    const PenText pen = pen_text(letter);
    EXPECT_LT(pen.width, 0.9) << letter;
    EXPECT_FALSE(pen.strokes.empty()) << letter;
  }
  EXPECT_EQ(pen_text("é").strokes.size(), 1u);  // a box, and one only
}

TEST(StrokeFont, BrokenUtf8IsDrawnAndNotRead) {
  for (const char* text : {"\xCE", "\xF0\x9F", "\xFF\xFE", "\x80"})
    EXPECT_GT(pen_text(text).width, 0);
}

}  // namespace
}  // namespace spikenm::report
