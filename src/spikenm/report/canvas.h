// A surface to draw on. Lengths are in points, counted from the top left.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace spikenm::report {

struct Point {
  double x = 0, y = 0;
};

struct Color {
  uint8_t r = 0, g = 0, b = 0;
};

struct Stroke {
  Color color;
  double width = 1;
  bool dashed = false;
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  Color color;
  double size = 12;  // one em
  Anchor anchor = Anchor::kStart;
  bool upward = false;  // reads from the bottom to the top
};

// Lengths of the parts of a dashed stroke.
constexpr double kDash = 6, kGap = 5;

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void polyline(const std::vector<Point>& points, const Stroke& stroke) = 0;
  // Fills a convex polygon; its corners are in order around it, in either direction.
  virtual void convex(const std::vector<Point>& corners, Color color) = 0;
  virtual void disc(Point center, double radius, Color color) = 0;
  // `at` is the point of the baseline that the anchor names.
  virtual void text(Point at, std::string_view utf8, const TextStyle& style) = 0;
};

}  // namespace spikenm::report
