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
enum class Direction { kRight, kUp, kSlanted };  // slanted: up to the right, by kSlant

constexpr double kSlant = 35;  // degrees

struct TextStyle {
  Color color;
  double size = 12;  // one em
  Anchor anchor = Anchor::kStart;
  Direction direction = Direction::kRight;
};

// Lengths of the parts of a dashed stroke.
constexpr double kDash = 6, kGap = 5;

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void polyline(const std::vector<Point>& points, const Stroke& stroke) = 0;
  // Fills a polygon; its corners are in order around it. What is less than opaque lets what was
  // drawn before shine through.
  virtual void polygon(const std::vector<Point>& corners, Color color, double opacity) = 0;
  virtual void disc(Point center, double radius, Color color) = 0;
  // `at` is the point of the baseline that the anchor names.
  virtual void text(Point at, std::string_view utf8, const TextStyle& style) = 0;

  void box(Point corner, double width, double height, Color color) {
    polygon({corner,
             {corner.x + width, corner.y},
             {corner.x + width, corner.y + height},
             {corner.x, corner.y + height}},
            color, 1);
  }
};

}  // namespace spikenm::report
