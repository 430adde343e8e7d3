#include "spikenm/report/plot_labels.h"

#include "support/expect_error.h"
#include "support/plot_recorder.h"

namespace spikenm::report {
namespace {

using test::drawn, test::Recorder;

// The y of a text in an SVG.
double height_of(const std::string& svg, const std::string& text) {
  const size_t at = svg.find(">" + text + "<"), y = svg.rfind(" y=\"", at);
  return at == std::string::npos ? -1 : std::stod(svg.substr(y + 4));
}

TEST(PlotLabels, StandInTheOrderOfTheEndsAndApart) {
  Plot plot;
  plot.labels = true;
  for (int i = 0; i < 14; ++i) {
    Series series{.name = fmt::format("curve {}", i), .style = Series::Style::kLine, .values = {}};
    series.values = {{.x = 1, .y = 0, .spread = {}, .x_spread = {}},
                     {.x = 2, .y = 80 - 0.01 * i, .spread = {}, .x_spread = {}}};
    plot.series.push_back(series);
  }
  plot.references.push_back({.name = "dense", .y = 81, .spread = {}});
  const std::string svg = plot_svg(plot);
  double above = height_of(svg, "dense");
  EXPECT_GT(above, 0);
  for (int i = 0; i < 14; ++i) {
    const double y = height_of(svg, fmt::format("curve {}", i));
    EXPECT_GE(y, above + 14.9) << i;
    above = y;
  }
  EXPECT_LT(above, plot_size(plot).height);
  Plot with_legend = plot;
  with_legend.labels = false;
  EXPECT_GT(plot_size(with_legend).height, plot_size(plot).height) << "no rows of a legend";
}

TEST(PlotLabels, StayBesideTheAreaOrAreRefused) {
  Plot plot;
  plot.labels = true;
  for (int i = 0; i < 22; ++i)  // all end at the bottom
    plot.series.push_back(
        {fmt::format("curve {}", i), Series::Style::kLine, {{1, 9, {}}, {2, 0, {}}}});
  const std::string svg = plot_svg(plot);
  const double top = PlotLayout(plot).top;
  for (int i = 0; i < 22; ++i) EXPECT_GT(height_of(svg, fmt::format("curve {}", i)), top) << i;
  plot.series.push_back(plot.series.front());
  EXPECT_ERROR(drawn(plot), "found 23 curves to label, wanted at most 22");
}

TEST(PlotLabels, TheLineToALabelGoesBelowBarsOnItsWay) {
  Plot plot;
  plot.labels = true;
  plot.series = {{"dense", Series::Style::kLine, {{10, 80, 0.5}}},
                 {"sparse", Series::Style::kLine, {{1, 76, {}}, {5, 80, {}}}}};
  const Recorder r = drawn(plot);
  // The first curve's marker is a disc, there and beside its label.
  const Point bar = r.discs.at(0);
  double low = bar.y;
  for (const auto& line : r.lines)
    if (line.size() == 2 && line[0].x == bar.x && line[0].y < bar.y) low = line[1].y;
  EXPECT_GT(low, bar.y);
  int found = 0;
  for (const auto& line : r.lines) {
    const bool is_axes = line[0].x == line[1].x;
    if (line.size() != 3 || is_axes || line[0].x > bar.x) continue;
    ++found;
    const double share = (bar.x - line[0].x) / (line[1].x - line[0].x);
    EXPECT_GT(line[0].y + share * (line[1].y - line[0].y), low) << "of the curve that ends before";
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace spikenm::report
