#include "spikenm/report/pixel_canvas.h"

#include "spikenm/report/stroke_font.h"

#include <algorithm>
#include <cmath>

namespace spikenm::report {
namespace {

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// Distance from p to the segment ab.
double segment_distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
  const double along = squared > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / squared : 0;
  const double t = std::clamp(along, 0.0, 1.0);
  return distance(p, {a.x + t * dx, a.y + t * dy});
}

// Twice the area, positive when the corners are in clockwise order on the screen.
double signed_area(const std::vector<Point>& corners) {
  double sum = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Point &a = corners[i], &b = corners[(i + 1) % corners.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum;
}

// The dashes of a line, each as a separate line.
std::vector<std::vector<Point>> cut_dashes(const std::vector<Point>& points) {
  std::vector<std::vector<Point>> dashes;
  double walked = 0;  // distance along the line
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const Point a = points[i], b = points[i + 1];
    const double length = distance(a, b);
    const auto at = [&](double s) {
      return Point{a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length};
    };

    double done = 0;
    while (length - done > 1e-9) {
      const double phase = std::fmod(walked, kDash + kGap);
      const bool inked = phase < kDash;
      const double step = std::min(length - done, (inked ? kDash : kDash + kGap) - phase + 1e-9);
      if (inked) dashes.push_back({at(done), at(done + step)});
      done += step;
      walked += step;
    }
  }
  return dashes;
}

}  // namespace

PixelCanvas::PixelCanvas(double width, double height, double scale)
    : scale_(scale),
      width_(std::lround(width * scale)),
      height_(std::lround(height * scale)),
      rgb_(static_cast<size_t>(width_ * height_ * 3), 255),
      coverage_(static_cast<size_t>(width_ * height_)),
      marked_{width_, height_, 0, 0} {}

PixelCanvas::Box PixelCanvas::box_around(const std::vector<Point>& points, double margin) const {
  Point low = points.front(), high = low;
  for (const Point& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }

  const auto pixel = [this](double at, double step, int64_t limit) {
    const double p = at * scale_ + step;  // one more pixel for the soft edge
    return static_cast<int64_t>(std::clamp(p, 0.0, static_cast<double>(limit)));
  };
  return {pixel(low.x - margin, -1, width_), pixel(low.y - margin, -1, height_),
          pixel(high.x + margin, 2, width_), pixel(high.y + margin, 2, height_)};
}

void PixelCanvas::mark(const Box& box, const std::function<double(Point)>& distance) {
  for (int64_t y = box.top; y < box.bottom; ++y) {
    for (int64_t x = box.left; x < box.right; ++x) {
      const Point center{(static_cast<double>(x) + 0.5) / scale_,
                         (static_cast<double>(y) + 0.5) / scale_};
      const auto covered =
          static_cast<float>(std::clamp(0.5 - distance(center) * scale_, 0.0, 1.0));
      float& here = coverage_[static_cast<size_t>(y * width_ + x)];
      here = std::max(here, covered);
    }
  }

  marked_ = {std::min(marked_.left, box.left), std::min(marked_.top, box.top),
             std::max(marked_.right, box.right), std::max(marked_.bottom, box.bottom)};
}

void PixelCanvas::mark_line(const std::vector<Point>& points, double width) {
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const Point a = points[i], b = points[i + 1];
    mark(box_around({a, b}, width / 2),
         [&](Point p) { return segment_distance(p, a, b) - width / 2; });
  }
}

void PixelCanvas::paint(Color color) {
  const uint8_t channels[] = {color.r, color.g, color.b};
  for (int64_t y = marked_.top; y < marked_.bottom; ++y) {
    for (int64_t x = marked_.left; x < marked_.right; ++x) {
      const auto i = static_cast<size_t>(y * width_ + x);
      for (size_t c = 0; c < 3; ++c) {
        uint8_t& value = rgb_[3 * i + c];
        const auto old = static_cast<float>(value);
        value = static_cast<uint8_t>(
            std::lround(old + coverage_[i] * (static_cast<float>(channels[c]) - old)));
      }
      coverage_[i] = 0;
    }
  }
  marked_ = {width_, height_, 0, 0};
}

void PixelCanvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  if (stroke.dashed) {
    for (const auto& dash : cut_dashes(points)) mark_line(dash, stroke.width);
  } else {
    mark_line(points, stroke.width);
  }
  paint(stroke.color);
}

void PixelCanvas::convex(const std::vector<Point>& corners, Color color) {
  const double turn = signed_area(corners) >= 0 ? 1 : -1;
  mark(box_around(corners, 0), [&](Point p) {
    double outside = -1e9;  // distance from the nearest edge
    for (size_t i = 0; i < corners.size(); ++i) {
      const Point &a = corners[i], &b = corners[(i + 1) % corners.size()];
      const double length = std::max(distance(a, b), 1e-9);
      const double left = ((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length;
      outside = std::max(outside, turn * left);
    }
    return outside;
  });
  paint(color);
}

void PixelCanvas::disc(Point center, double radius, Color color) {
  mark(box_around({center}, radius), [&](Point p) { return distance(p, center) - radius; });
  paint(color);
}

void PixelCanvas::text(Point at, std::string_view utf8, const TextStyle& style) {
  const PenText pen = pen_text(utf8);
  const double shift = pen.width * static_cast<double>(style.anchor) / 2;
  for (std::vector<Point> stroke : pen.strokes) {
    for (Point& p : stroke) {
      const double along = (p.x - shift) * style.size, up = p.y * style.size;
      p = style.upward ? Point{at.x - up, at.y - along} : Point{at.x + along, at.y - up};
    }
    mark_line(stroke, kPenWidth * style.size);
  }
  paint(style.color);
}

}  // namespace spikenm::report
