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
  double size = 12;  // of an em
  Anchor anchor = Anchor::kStart;
  bool upward = false;  // reads from the bottom to the top
};

// Of a dashed stroke.
constexpr double kDash = 6, kGap = 5;

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void polyline(const std::vector<Point>& points, const Stroke& stroke) = 0;
  // Filled; its corners go round one way and it bulges nowhere inward.
  virtual void convex(const std::vector<Point>& corners, Color color) = 0;
  virtual void disc(Point center, double radius, Color color) = 0;
  // `at` is on the baseline, where the anchor says.
  virtual void text(Point at, std::string_view utf8, const TextStyle& style) = 0;
};

}  // namespace spikenm::report
