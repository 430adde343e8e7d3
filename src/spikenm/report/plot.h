// Line, point and bar charts with error bars, as SVG and PNG.
#pragma once

#include "spikenm/report/canvas.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::report {

struct Series {
  enum class Style { kLine, kPoints, kBars };  // a line has a marker at each point
  struct Value {
    double x = 0;  // or the index of a name, from 0
    double y = 0;
    std::optional<double> spread;  // drawn as an error bar of y - spread to y + spread
  };
  std::string name;
  Style style = Style::kLine;
  std::vector<Value> values;  // in the order of x
};

// A dashed line across the plot; its spread is drawn as a pale band.
struct Reference {
  std::string name;
  double y = 0;
  std::optional<double> spread;
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false;              // x = 0 is shown left of the smallest positive x
  std::vector<std::string> names;  // names of x = 0, 1, 2…; empty: x is a number
  std::vector<Series> series;
  std::vector<Reference> references;
};

// Size of the whole picture, in points.
struct PlotSize {
  double width, height;
};
PlotSize plot_size(const Plot& plot);

// Throws an Error when there is nothing to draw, a value is not finite, or x is negative with
// log_x.
void draw_plot(const Plot& plot, Canvas& canvas);

// Writes `stem`.svg and `stem`.png.
void write_plot(const Plot& plot, const std::filesystem::path& stem);

}  // namespace spikenm::report
