// A canvas that writes SVG; text stays text.
#pragma once

#include "spikenm/report/canvas.h"

#include <string>

namespace spikenm::report {

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height);

  void polyline(const std::vector<Point>& points, const Stroke& stroke) override;
  void convex(const std::vector<Point>& corners, Color color) override;
  void disc(Point center, double radius, Color color) override;
  void text(Point at, std::string_view utf8, const TextStyle& style) override;

  // The whole document.
  [[nodiscard]] std::string document() const { return body_ + "</svg>\n"; }

 private:
  std::string body_;
};

}  // namespace spikenm::report
