#include "spikenm/report/plot.h"

#include "spikenm/core/file.h"
#include "spikenm/report/picture_file.h"
#include "spikenm/report/plot_layout.h"
#include "support/expect_error.h"
#include "support/plot_recorder.h"
#include "support/temp_dir.h"

#include <cmath>

namespace spikenm::report {
namespace {

using test::curve, test::drawn, test::Recorder;

TEST(Plot, ACurveHasAMarkerAPointAndBarsWhereThereIsASpread) {
  const Recorder r = drawn(curve());
  ASSERT_EQ(r.discs.size(), 3u);
  EXPECT_LT(r.discs[0].x, r.discs[1].x);
  EXPECT_NEAR(r.discs[1].x - r.discs[0].x, r.discs[2].x - r.discs[1].x, 1e-9);
  EXPECT_GT(r.discs[0].y, r.discs[1].y);  // y counts down
  // 82 to 80 is twice as far as 82 to 81.
  EXPECT_NEAR(r.discs[0].y - r.discs[1].y, 2 * (r.discs[2].y - r.discs[1].y), 1e-9);
  int vertical = 0;
  for (const auto& line : r.lines) {
    if (line.size() != 2 || line[0].x != line[1].x || line[0].x == r.lines[0][0].x) continue;
    for (const Point& p : r.discs)
      if (std::abs(line[0].x - p.x) < 1e-9 && line[0].y < p.y && p.y < line[1].y) ++vertical;
  }
  EXPECT_EQ(vertical, 2);
  EXPECT_TRUE(r.says("title"));
  EXPECT_FALSE(r.says("one"));  // a single curve needs no legend
  EXPECT_EQ(r.upward, (std::vector<std::string>{"accuracy"}));
}

TEST(Plot, AReferenceIsADashedLineWithALegendAndABand) {
  Plot plot = curve();
  plot.references = {{.name = "dense", .y = 81, .spread = 0.5}};
  const Recorder r = drawn(plot);
  EXPECT_TRUE(r.says("one"));
  EXPECT_TRUE(r.says("dense"));
  ASSERT_EQ(r.dashed.size(), 2u);  // in the plot and in the legend
  EXPECT_EQ(r.dashed[0][0].y, r.dashed[0][1].y);
  EXPECT_NEAR(r.dashed[0][0].y, r.discs[2].y, 1e-9);
  ASSERT_EQ(r.shapes.size(), 1u);
  EXPECT_LT(r.shapes[0][0].y, r.dashed[0][0].y);
  EXPECT_GT(r.shapes[0][2].y, r.dashed[0][0].y);
}

TEST(Plot, ALogarithmicAxisShowsZeroToo) {
  Plot plot = curve();
  plot.log_x = true;
  plot.series[0].values = {{0, 80, {}}, {0.1, 81, {}}, {1, 82, {}}, {10, 82, {}}};
  const Recorder r = drawn(plot);
  EXPECT_TRUE(r.says("0"));
  EXPECT_TRUE(r.says("0.1"));
  EXPECT_NEAR(r.discs[2].x - r.discs[1].x, r.discs[3].x - r.discs[2].x, 1e-9);
  EXPECT_LT(r.discs[0].x, r.discs[1].x);
  // Zero stands apart: the curve does not reach it, and two slanted strokes break the axis.
  const auto breaks = std::count_if(r.lines.begin(), r.lines.end(), [](const auto& line) {
    return line.size() == 2 && line[0].x != line[1].x && line[0].y != line[1].y;
  });
  EXPECT_EQ(breaks, 2);
  for (const auto& line : r.lines) EXPECT_FALSE(line.size() > 2 && line[0].x == r.discs[0].x);
}

TEST(Plot, BothAxesMayBeLogarithmic) {
  Plot plot = curve();
  plot.log_y = true;
  plot.series[0].values = {{0, 1, {}}, {1, 10, {}}, {2, 100, {}}};
  const Recorder r = drawn(plot);
  EXPECT_NEAR(r.discs[0].y - r.discs[1].y, r.discs[1].y - r.discs[2].y, 1e-9);
}

TEST(Plot, LongNamesAreWrappedAndThoseThatDoNotFitAreSlanted) {
  Plot plot = curve();
  plot.names = {"a", "b", "c"};
  EXPECT_TRUE(drawn(plot).says("b"));
  const double low = plot_size(plot).height;
  plot.names = {"a name of several words that needs two lines", "b", "c"};
  EXPECT_TRUE(drawn(plot).says("a name of several words that "));
  EXPECT_TRUE(drawn(plot).says("needs two lines"));
  EXPECT_GT(plot_size(plot).height, low + 10);
  plot.names = {std::string(60, 'w'), "b", "c"};
  EXPECT_EQ(drawn(plot).slanted, plot.names);
  EXPECT_GT(plot_size(plot).height, low + 200);
}

TEST(Plot, ASpreadOfManyPointsMayBeABand) {
  Plot plot = curve();
  plot.series[0].band = true;
  const Recorder r = drawn(plot);
  ASSERT_EQ(r.bands.size(), 1u);
  EXPECT_EQ(r.bands[0].size(), 6u);  // there and back
}

TEST(Plot, SaysWhatItsBarsAre) {
  Plot plot = curve();
  const double without = plot_size(plot).height;
  plot.note = "bars: n = 3";
  EXPECT_TRUE(drawn(plot).says("bars: n = 3"));
  EXPECT_GT(plot_size(plot).height, without);
}

TEST(Plot, PanelsStandSideBySideWithOneLegend) {
  Plot plot = curve();
  plot.references = {{.name = "dense", .y = 81, .spread = std::nullopt}};
  const std::string svg = panels_svg("all", {plot, plot, plot}, 2);
  EXPECT_TRUE(svg.starts_with("<svg"));
  size_t legends = 0;
  for (size_t at = svg.find(">dense<"); at != std::string::npos; at = svg.find(">dense<", at + 1))
    ++legends;
  EXPECT_EQ(legends, 1u);
}

TEST(Plot, ALineBelowOnePanelPushesItOutOfNoRow) {
  Plot plot = curve(), noted = curve();
  plot.title = "left";
  noted.title = "right";
  noted.note = "n = 3";
  const std::string svg = panels_svg("all", {plot, noted}, 2);
  EXPECT_EQ(plot_svg(plot).find("n = 3"), std::string::npos);
  std::vector<std::string> parts;
  for (size_t at = svg.find("translate("); at != std::string::npos;
       at = svg.find("translate(", at + 1))
    parts.push_back(svg.substr(at, svg.find(')', at) - at));
  ASSERT_EQ(parts.size(), 2u) << svg.substr(0, 400);
  const auto down = [](const std::string& part) {
    return part.substr(part.find_first_of(" ,") + 1);
  };
  EXPECT_EQ(down(parts[0]), down(parts[1]));
}

TEST(Plot, ManyNamesWidenThePicture) {
  Plot plot = curve();
  EXPECT_EQ(plot_size(plot).width, 720);
  plot.names.assign(100, "a");
  EXPECT_GT(plot_size(plot).width, 1400);
  plot.names.assign(10'000, "a");
  EXPECT_EQ(plot_size(plot).width, 4000);
}

TEST(Plot, BarsStandOnZeroSideBySide) {
  Plot plot;
  plot.names = {"a", "b"};
  plot.series = {{"x", Series::Style::kBars, {{0, 3, {}}, {1, 5, {}}}},
                 {"y", Series::Style::kBars, {{0, 4, {}}, {1, -2, {}}}}};
  const Recorder r = drawn(plot);
  ASSERT_EQ(r.shapes.size(), 6u);  // four bars and two legend samples
  const double zero = r.shapes[0][2].y;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(r.shapes[static_cast<size_t>(i)][2].y, zero);
  EXPECT_LT(r.shapes[0][0].y, zero);
  EXPECT_GT(r.shapes[3][0].y, zero);  // -2 hangs
  EXPECT_NEAR(r.shapes[0][1].x, r.shapes[2][0].x, 1e-9);
}

TEST(Plot, EverythingLiesInsideThePicture) {
  Plot plot = curve();
  for (int i = 0; i < 12; ++i) plot.references.push_back({fmt::format("reference {}", i), 80, {}});
  const PlotSize size = plot_size(plot);
  const Recorder r = drawn(plot);
  for (const auto& lines : {r.lines, r.dashed, r.shapes}) {
    for (const auto& line : lines) {
      for (const Point& p : line) {
        EXPECT_TRUE(0 <= p.x && p.x <= size.width) << p.x;
        EXPECT_TRUE(0 <= p.y && p.y <= size.height) << p.y;
      }
    }
  }
}

TEST(Plot, SixteenCurvesHaveColoursOfTheirOwn) {
  for (size_t i = 0; i < 16; ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Color a = palette(i), b = palette(k);
      EXPECT_GT(std::hypot(a.r - b.r, a.g - b.g, a.b - b.b), 65) << i << " and " << k;
    }
  }
}

TEST(Plot, IsWrittenAsSvgAndPng) {
  const test::TempDir dir;
  write_plot(curve(), dir / "plot");
  EXPECT_TRUE(read_file(dir / "plot.svg").starts_with("<svg"));
  if (png_of(plot_svg(curve()), "it").empty()) GTEST_SKIP() << "no rsvg-convert here";
  EXPECT_TRUE(read_file(dir / "plot.png").starts_with("\x89PNG"));
}

TEST(Plot, WhatCannotBeDrawnIsSaid) {
  Plot plot = curve();
  plot.series[0].values.clear();
  EXPECT_ERROR(drawn(plot), "plot", "no values");
  EXPECT_ERROR(drawn(Plot()), "plot", "no values");
  plot.series[0].values = {{-1, 80, {}}};
  plot.log_x = true;
  EXPECT_ERROR(drawn(plot), "x = -1", "logarithmic");
  plot.series[0].values = {{1, std::nan(""), {}}};
  EXPECT_ERROR(drawn(plot), "y = nan", "finite number");
  plot.series[0].values = {{1, 1e308, {}}, {2, -1e308, {}}};
  EXPECT_ERROR(drawn(plot), "y = 1e+308", "below 1e+300");
}

}  // namespace
}  // namespace spikenm::report
