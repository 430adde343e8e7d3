// Where the parts of a plot stand.
#pragma once

#include "spikenm/report/axis.h"
#include "spikenm/report/plot.h"

#include <iterator>
#include <string>
#include <vector>

namespace spikenm::report {

constexpr double kTitleSize = 15, kLabelSize = 13, kTickSize = 11.5, kNoteSize = 11;
constexpr double kLegendRow = 19, kSample = 26;
constexpr double kNameLine = 14;  // from one line of a wrapped name to the next

// First those that colour-blind people can distinguish, also in print (Okabe and Ito).
constexpr Color kPalette[] = {{0, 114, 178},  {213, 94, 0},   {0, 158, 115},   {204, 121, 167},
                              {230, 159, 0},  {86, 180, 233}, {110, 110, 110}, {51, 34, 136},
                              {136, 34, 85},  {153, 153, 51}, {20, 110, 40},   {120, 75, 30},
                              {150, 80, 220}, {220, 20, 60},  {0, 200, 200},   {20, 20, 20}};
inline Color palette(size_t i) {
  return kPalette[i % std::size(kPalette)];
}

struct LegendEntry {
  std::string name;
  std::optional<size_t> series;  // empty: a reference
  double x = 0;
  size_t row = 0;
};

// An Error says what cannot be drawn.
struct PlotLayout {
  explicit PlotLayout(const Plot& plot);
  [[nodiscard]] double x(double value) const {
    return left + x_axis.position(value) * (right - left);
  }
  [[nodiscard]] double y(double value) const {
    return bottom - y_axis.position(value) * (bottom - top);
  }

  double left, right, top = 0, bottom = 0, width = 0, height = 0;
  std::vector<LegendEntry> legend;
  std::vector<std::vector<std::string>> names;  // the lines of each name; empty: slanted
  double tick_room = 22;                        // height below the area
  Axis x_axis, y_axis;

 private:
  void place_legend(const Plot& plot);
  void place_names(const Plot& plot);
};

}  // namespace spikenm::report
