// A canvas of antialiased pixels: how much a shape covers a pixel depends on how far the pixel's
// centre is inside the shape.
#pragma once

#include "spikenm/report/canvas.h"

#include <functional>

namespace spikenm::report {

class PixelCanvas : public Canvas {
 public:
  // `scale`: pixels per point.
  PixelCanvas(double width, double height, double scale);

  void polyline(const std::vector<Point>& points, const Stroke& stroke) override;
  void convex(const std::vector<Point>& corners, Color color) override;
  void disc(Point center, double radius, Color color) override;
  void text(Point at, std::string_view utf8, const TextStyle& style) override;

  [[nodiscard]] int64_t width() const { return width_; }
  [[nodiscard]] int64_t height() const { return height_; }
  [[nodiscard]] const std::vector<uint8_t>& rgb() const { return rgb_; }  // [height,width,3]

 private:
  // In pixels; the right and lower edges are not included.
  struct Box {
    int64_t left, top, right, bottom;
  };
  [[nodiscard]] Box box_around(const std::vector<Point>& points, double margin) const;
  // Marks the pixels of a box by the distance (in points, negative inside) of their centres from a
  // shape. paint() then paints all marked pixels together, so that crossings are not darker.
  void mark(const Box& box, const std::function<double(Point)>& distance);
  void mark_line(const std::vector<Point>& points, double width);
  void paint(Color color);

  double scale_;
  int64_t width_, height_;
  std::vector<uint8_t> rgb_;
  std::vector<float> coverage_;  // [height,width], 0 except for marked pixels
  Box marked_;
};

}  // namespace spikenm::report
