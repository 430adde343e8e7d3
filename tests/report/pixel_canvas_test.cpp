#include "spikenm/report/pixel_canvas.h"

#include <gtest/gtest.h>

#include <numeric>

namespace spikenm::report {
namespace {

constexpr Color kBlack{0, 0, 0};

int red_at(const PixelCanvas& canvas, int64_t x, int64_t y) {
  return canvas.rgb()[static_cast<size_t>(3 * (y * canvas.width() + x))];
}

// Pixels' worth of ink: 1 for a black pixel.
double ink(const PixelCanvas& canvas) {
  double sum = 0;
  for (const uint8_t value : canvas.rgb()) sum += (255 - value) / 255.0 / 3;
  return sum;
}

TEST(PixelCanvas, IsWhiteAndScaled) {
  const PixelCanvas canvas(10, 5, 2);
  EXPECT_EQ(canvas.width(), 20);
  EXPECT_EQ(canvas.height(), 10);
  EXPECT_EQ(canvas.rgb().size(), 600u);
  EXPECT_EQ(ink(canvas), 0);
}

TEST(PixelCanvas, ARectangleOnPixelEdgesIsSharp) {
  PixelCanvas canvas(10, 10, 1);
  canvas.convex({{2, 3}, {6, 3}, {6, 5}, {2, 5}}, {255, 0, 0});
  for (int64_t y = 0; y < 10; ++y) {
    for (int64_t x = 0; x < 10; ++x) {
      const auto i = static_cast<size_t>(3 * (y * 10 + x));
      const bool inside = 2 <= x && x < 6 && 3 <= y && y < 5;
      EXPECT_EQ(canvas.rgb()[i], 255);
      EXPECT_EQ(canvas.rgb()[i + 1], inside ? 0 : 255) << x << "," << y;
    }
  }
}

TEST(PixelCanvas, EitherTurnOfTheCornersFills) {
  PixelCanvas one(10, 10, 1), other(10, 10, 1);
  one.convex({{1, 1}, {8, 1}, {4, 8}}, kBlack);
  other.convex({{4, 8}, {8, 1}, {1, 1}}, kBlack);
  EXPECT_EQ(one.rgb(), other.rgb());
  EXPECT_NEAR(ink(one), 0.5 * 7 * 7, 1.0);
}

TEST(PixelCanvas, HalfCoveredPixelsAreGrey) {
  PixelCanvas canvas(10, 10, 1);
  canvas.convex({{2, 2}, {5.5, 2}, {5.5, 4}, {2, 4}}, kBlack);
  EXPECT_EQ(red_at(canvas, 4, 2), 0);
  EXPECT_NEAR(red_at(canvas, 5, 2), 127, 1);
  EXPECT_EQ(red_at(canvas, 6, 2), 255);
}

TEST(PixelCanvas, DiscsAndLinesHaveTheirArea) {
  PixelCanvas disc(40, 40, 1);
  disc.disc({20.3, 19.8}, 10, kBlack);
  EXPECT_NEAR(ink(disc), 3.14159265 * 100, 2);
  PixelCanvas line(40, 40, 1);
  line.polyline({{5, 20}, {35, 20}}, {kBlack, 4});
  EXPECT_NEAR(ink(line), 30 * 4 + 3.14159265 * 4, 1.5);  // round ends
}

TEST(PixelCanvas, AMeetingOfTwoSegmentsIsNotDarker) {
  PixelCanvas canvas(20, 20, 1);
  canvas.polyline({{2, 10.3}, {10, 10.3}, {18, 10.3}}, {{100, 100, 100}, 1});
  EXPECT_EQ(red_at(canvas, 10, 10), red_at(canvas, 5, 10));
}

TEST(PixelCanvas, DashesInkTheirShare) {
  PixelCanvas solid(240, 20, 1), dashed(240, 20, 1);
  solid.polyline({{10, 10}, {230, 10}}, {kBlack, 1});
  dashed.polyline({{10, 10}, {230, 10}}, {kBlack, 1, /*dashed=*/true});
  // 220 points are 20 dashes of 6 with round ends of half a point.
  EXPECT_NEAR(ink(dashed), 20 * (6 + 3.14159265 / 4), 8);
  EXPECT_LT(ink(dashed), 0.7 * ink(solid));
}

TEST(PixelCanvas, WhatLiesOutsideIsCut) {
  PixelCanvas canvas(10, 10, 1);
  canvas.disc({-50, -50}, 3, kBlack);
  canvas.polyline({{-1e6, 5}, {1e6, 5}}, {kBlack, 2});
  canvas.convex({{-5, -5}, {1, -5}, {1, 1}, {-5, 1}}, kBlack);
  EXPECT_EQ(red_at(canvas, 9, 5), 0);
  EXPECT_EQ(red_at(canvas, 0, 0), 0);
  EXPECT_EQ(red_at(canvas, 5, 8), 255);
}

TEST(PixelCanvas, TextHangsAtItsAnchorAndTurnsUpward) {
  const auto center = [](Anchor anchor, bool upward) {
    PixelCanvas canvas(100, 100, 1);
    canvas.text({50, 50}, "HHH", {kBlack, 12, anchor, upward});
    double sum = 0, x = 0, y = 0;
    for (int64_t j = 0; j < 100; ++j) {
      for (int64_t i = 0; i < 100; ++i) {
        const double weight = 255 - red_at(canvas, i, j);
        sum += weight;
        x += weight * static_cast<double>(i);
        y += weight * static_cast<double>(j);
      }
    }
    return Point{x / sum, y / sum};
  };
  EXPECT_NEAR(center(Anchor::kMiddle, false).x, 49.5, 0.6);
  EXPECT_GT(center(Anchor::kStart, false).x, 55);
  EXPECT_LT(center(Anchor::kEnd, false).x, 45);
  EXPECT_LT(center(Anchor::kStart, false).y, 50);  // above the baseline
  EXPECT_LT(center(Anchor::kStart, true).y, 45);   // runs up
  EXPECT_LT(center(Anchor::kStart, true).x, 50);
}

}  // namespace
}  // namespace spikenm::report
