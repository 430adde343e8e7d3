// Line, point and bar charts with error bars, as SVG.
#pragma once

#include "spikenm/report/canvas.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::report {

struct Series {
  // A line of few points has a marker at each.
  enum class Style { kLine, kPoints, kBars };
  struct Value {
    double x = 0;  // or the index of a name, from 0
    double y = 0;
    std::optional<double> spread;    // y - spread to y + spread: an error bar, or part of a band
    std::optional<double> x_spread;  // an error bar along x
  };
  std::string name;
  Style style = Style::kLine;
  std::vector<Value> values;  // in the order of x
  bool band = false;          // of a line: spreads are a pale band in the place of bars
};

// A dashed line across the plot; its spread is drawn as a pale band.
struct Reference {
  std::string name;
  double y = 0;
  std::optional<double> spread;
};

struct Plot {
  std::string title, x_label, y_label;
  // Logarithmic axes. A zero stands apart, before the smallest positive value.
  bool log_x = false, log_y = false;
  std::vector<std::string> names;  // names of x = 0, 1, 2…; empty: x is a number
  std::vector<Series> series;
  std::vector<Reference> references;
  std::string note;  // below the plot: what bars are, and of how many runs
  double area_height = 320;
  double least_width = 720;
  bool legend = true;
  bool labels = false;  // names right of the curves' ends, in the place of a legend
};

// Size of the whole picture, in points.
struct PlotSize {
  double width, height;
};
PlotSize plot_size(const Plot& plot);

// Throws an Error when there is nothing to draw, a value is not finite, or a value is negative on a
// logarithmic axis.
void draw_plot(const Plot& plot, Canvas& canvas);

// The plot as an SVG document.
std::string plot_svg(const Plot& plot);

// Several plots as one document, row by row, below a title. Entries of the legend are shown once,
// by the first plot.
std::string panels_svg(const std::string& title, std::vector<Plot> plots, size_t columns);

// Writes `stem`.svg and, where PNG can be made, `stem`.png.
void write_plot(const Plot& plot, const std::filesystem::path& stem);

}  // namespace spikenm::report
