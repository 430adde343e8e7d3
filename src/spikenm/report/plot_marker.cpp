#include "spikenm/report/plot_marker.h"

#include "spikenm/report/plot_layout.h"

#include <vector>

namespace spikenm::report {
namespace {

constexpr double kRadius = 4.2;

// Corners around the middle, in radii; none of a disc and a ring.
std::vector<Point> corners_of(size_t shape) {
  switch (shape) {
    case 1:  // square
      return {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}};
    case 2:  // triangle
      return {{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}};
    case 3:  // diamond
      return {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}};
    case 4:  // triangle on its head
      return {{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}};
    case 5:  // plus
      return {{-0.4, -1.3}, {0.4, -1.3}, {0.4, -0.4}, {1.3, -0.4}, {1.3, 0.4},   {0.4, 0.4},
              {0.4, 1.3},   {-0.4, 1.3}, {-0.4, 0.4}, {-1.3, 0.4}, {-1.3, -0.4}, {-0.4, -0.4}};
    case 6:  // cross
      return {{0, -0.6}, {0.8, -1.3}, {1.3, -0.8}, {0.6, 0},  {1.3, 0.8},   {0.8, 1.3},
              {0, 0.6},  {-0.8, 1.3}, {-1.3, 0.8}, {-0.6, 0}, {-1.3, -0.8}, {-0.8, -1.3}};
    default:
      return {};
  }
}

}  // namespace

void draw_marker(Canvas& canvas, size_t i, Point p) {
  constexpr Color kPaper{255, 255, 255};
  const Color color = palette(i);
  const size_t shape = i % 8;
  std::vector<Point> corners = corners_of(shape);
  for (Point& corner : corners) corner = {p.x + kRadius * corner.x, p.y + kRadius * corner.y};
  if (!corners.empty()) return canvas.polygon(corners, color, 1);
  canvas.disc(p, kRadius, color);
  if (shape == 7) canvas.disc(p, 0.5 * kRadius, kPaper);
}

}  // namespace spikenm::report
