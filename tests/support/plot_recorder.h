// What a plot draws, as numbers and words.
#pragma once

#include "spikenm/report/plot.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spikenm::test {

// What a plot draws, kept as drawn.
class Recorder : public report::Canvas {
 public:
  void polyline(const std::vector<report::Point>& points, const report::Stroke& stroke) override {
    (stroke.dashed ? dashed : lines).push_back(points);
  }
  void polygon(const std::vector<report::Point>& corners, report::Color, double opacity) override {
    (opacity < 1 ? bands : shapes).push_back(corners);
  }
  void disc(report::Point center, double, report::Color) override { discs.push_back(center); }
  void text(report::Point, std::string_view utf8, const report::TextStyle& style) override {
    (style.direction == report::Direction::kRight ? texts
     : style.direction == report::Direction::kUp  ? upward
                                                  : slanted)
        .emplace_back(utf8);
  }
  [[nodiscard]] bool says(const std::string& text) const {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }

  std::vector<std::vector<report::Point>> lines, dashed, shapes, bands;
  std::vector<report::Point> discs;
  std::vector<std::string> texts, upward, slanted;
};

inline report::Plot curve() {
  report::Plot plot;
  plot.title = "title";
  plot.x_label = "x";
  plot.y_label = "accuracy";
  plot.series = {{.name = "one",
                  .style = report::Series::Style::kLine,
                  .values = {{0, 80, 1.0}, {1, 82, std::nullopt}, {2, 81, 0.5}}}};
  return plot;
}

inline Recorder drawn(const report::Plot& plot) {
  Recorder recorder;
  report::draw_plot(plot, recorder);
  return recorder;
}

}  // namespace spikenm::test
