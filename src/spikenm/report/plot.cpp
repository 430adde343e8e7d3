#include "spikenm/report/plot.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/png.h"
#include "spikenm/report/axis.h"
#include "spikenm/report/pixel_canvas.h"
#include "spikenm/report/stroke_font.h"
#include "spikenm/report/svg_canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spikenm::report {
namespace {

constexpr double kLeastWidth = 720, kMostWidth = 4000, kNameRoom = 14, kAreaHeight = 320,
                 kLeft = 78, kRight = 24;
constexpr double kTitleSize = 15, kLabelSize = 13, kTickSize = 11.5;
constexpr double kLegendRow = 19, kSample = 26, kLegendGap = 18;
constexpr Color kInk{38, 38, 38}, kSoftInk{90, 90, 90}, kGrid{226, 226, 226}, kBand{240, 240, 240};

// Colours that colour-blind people can distinguish, also in print (Okabe and Ito).
constexpr Color kPalette[] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115},  {204, 121, 167},
                              {230, 159, 0}, {86, 180, 233}, {110, 110, 110}};

double text_width(const std::string& text, double size) {
  return pen_text(text).width * size;
}

double picture_width(const Plot& plot) {
  const double wanted = kLeft + kRight + kNameRoom * static_cast<double>(plot.names.size());
  return std::clamp(wanted, kLeastWidth, kMostWidth);
}

struct LegendEntry {
  std::string name;
  std::optional<size_t> series;  // empty: a reference
  double x = 0;
  size_t row = 0;
};

// A single curve needs no legend.
std::vector<LegendEntry> legend_of(const Plot& plot) {
  std::vector<LegendEntry> entries;
  if (plot.series.size() + plot.references.size() < 2) return entries;
  for (size_t i = 0; i < plot.series.size(); ++i) entries.push_back({plot.series[i].name, i});
  for (const Reference& r : plot.references) entries.push_back({r.name, std::nullopt});
  double x = 0;
  size_t row = 0;
  for (LegendEntry& entry : entries) {
    const double width = kSample + 6 + text_width(entry.name, kTickSize);
    if (x > 0 && x + width > picture_width(plot) - kLeft - kRight) {
      x = 0;
      ++row;
    }
    entry.x = kLeft + x;
    entry.row = row;
    x += width + kLegendGap;
  }
  return entries;
}

struct Layout {
  explicit Layout(const Plot& plot);
  [[nodiscard]] double x(double value) const {
    return left + x_axis.position(value) * (right - left);
  }
  [[nodiscard]] double y(double value) const {
    return bottom - y_axis.position(value) * (bottom - top);
  }

  std::vector<LegendEntry> legend;
  double left = kLeft, right, top = 0, bottom = 0, height = 0;
  bool names_upward = false;
  double tick_room = 0;  // height below the area
  Axis x_axis, y_axis;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    SPIKENM_CHECK(std::isfinite(value), "plot: found a value that is not finite");
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void include(double value, std::optional<double> spread) {
    include(value - spread.value_or(0));
    include(value + spread.value_or(0));
  }
};

Axis make_x_axis(const Plot& plot) {
  const bool empty = std::all_of(plot.series.begin(), plot.series.end(),
                                 [](const Series& s) { return s.values.empty(); });
  SPIKENM_CHECK(!empty, "plot: found no values to draw");
  if (!plot.names.empty()) return Axis::names(plot.names);
  Range range;
  bool zero = false;
  for (const Series& series : plot.series) {
    for (const Series::Value& value : series.values) {
      SPIKENM_CHECK(!plot.log_x || value.x >= 0,
                    "plot: found x = {:g}, wanted 0 or more on a logarithmic axis", value.x);
      zero = zero || (plot.log_x && value.x == 0);
      if (!plot.log_x || value.x > 0) range.include(value.x);
    }
  }
  if (!plot.log_x) return Axis::linear(range.low, range.high);
  if (range.low > range.high) range.include(1);  // zero is the only value
  return Axis::logarithmic(range.low, range.high, zero);
}

Axis make_y_axis(const Plot& plot) {
  Range range;
  for (const Series& series : plot.series) {
    if (series.style == Series::Style::kBars) range.include(0);
    for (const Series::Value& value : series.values) range.include(value.y, value.spread);
  }
  for (const Reference& r : plot.references) range.include(r.y, r.spread);
  return Axis::linear(range.low, range.high);
}

Layout::Layout(const Plot& plot)
    : legend(legend_of(plot)),
      right(picture_width(plot) - kRight),
      x_axis(make_x_axis(plot)),
      y_axis(make_y_axis(plot)) {
  const size_t rows = legend.empty() ? 0 : legend.back().row + 1;
  top = 18 + (plot.title.empty() ? 0 : 24) + static_cast<double>(rows) * kLegendRow;
  bottom = top + kAreaHeight;
  tick_room = 22;
  if (!plot.names.empty()) {
    double widest = 0;
    for (const std::string& name : plot.names)
      widest = std::max(widest, text_width(name, kTickSize));
    names_upward = widest + 6 > (right - left) / static_cast<double>(plot.names.size());
    if (names_upward) tick_room = widest * 1.08 + 14;  // a viewer's font may be wider
  }
  height = bottom + tick_room + (plot.x_label.empty() ? 8 : 28);
}

// The x of a value. Bars and points of several series are drawn side by side at a name.
double place(const Plot& plot, const Layout& layout, size_t i, const Series::Value& value) {
  const Series::Style style = plot.series[i].style;
  if (plot.names.empty() || style == Series::Style::kLine) return layout.x(value.x);
  const double slot = (layout.right - layout.left) / static_cast<double>(plot.names.size());
  const double n = static_cast<double>(plot.series.size());
  const double step = slot * (style == Series::Style::kBars ? 0.7 : 0.3) / n;
  return layout.x(value.x) + step * (static_cast<double>(i) - (n - 1) / 2);
}

void draw_marker(Canvas& canvas, size_t i, Point p) {
  const Color color = kPalette[i % std::size(kPalette)];
  constexpr double r = 4.2;
  switch (i % 4) {
    case 0:
      return canvas.disc(p, r, color);
    case 1:
      return canvas.convex({{p.x - r * 0.9, p.y - r * 0.9},
                            {p.x + r * 0.9, p.y - r * 0.9},
                            {p.x + r * 0.9, p.y + r * 0.9},
                            {p.x - r * 0.9, p.y + r * 0.9}},
                           color);
    case 2:
      return canvas.convex(
          {{p.x, p.y - r * 1.2}, {p.x + r * 1.1, p.y + r * 0.8}, {p.x - r * 1.1, p.y + r * 0.8}},
          color);
    default:
      return canvas.convex(
          {{p.x, p.y - r * 1.3}, {p.x + r * 1.3, p.y}, {p.x, p.y + r * 1.3}, {p.x - r * 1.3, p.y}},
          color);
  }
}

void draw_error_bar(Canvas& canvas, const Layout& layout, double x, const Series::Value& value,
                    Color color) {
  if (!value.spread) return;
  constexpr double kCap = 4;
  const double high = layout.y(value.y + *value.spread), low = layout.y(value.y - *value.spread);
  const Stroke stroke{color, 1.4};
  canvas.polyline({{x, high}, {x, low}}, stroke);
  canvas.polyline({{x - kCap, high}, {x + kCap, high}}, stroke);
  canvas.polyline({{x - kCap, low}, {x + kCap, low}}, stroke);
}

void draw_series(const Plot& plot, const Layout& layout, size_t i, Canvas& canvas) {
  const Series& series = plot.series[i];
  const Color color = kPalette[i % std::size(kPalette)];
  const bool bars = series.style == Series::Style::kBars;
  std::vector<Point> points;
  for (const Series::Value& value : series.values)
    points.push_back({place(plot, layout, i, value), layout.y(value.y)});
  if (series.style == Series::Style::kLine && points.size() > 1)
    canvas.polyline(points, {color, 2});
  const double slots = static_cast<double>(std::max<size_t>(1, plot.names.size()));
  const double half =
      0.35 * (layout.right - layout.left) / slots / static_cast<double>(plot.series.size());
  for (size_t k = 0; k < points.size(); ++k) {
    const Point p = points[k];
    if (bars) {
      const double zero = layout.y(0);
      canvas.convex({{p.x - half, p.y}, {p.x + half, p.y}, {p.x + half, zero}, {p.x - half, zero}},
                    color);
    }
    draw_error_bar(canvas, layout, p.x, series.values[k], bars ? kInk : color);
    if (!bars) draw_marker(canvas, i, p);
  }
}

void draw_axes(const Plot& plot, const Layout& layout, Canvas& canvas) {
  const double l = layout.left, r = layout.right, t = layout.top, b = layout.bottom;
  for (const Reference& reference : plot.references) {
    if (!reference.spread) continue;
    const double high = layout.y(reference.y + *reference.spread),
                 low = layout.y(reference.y - *reference.spread);
    canvas.convex({{l, high}, {r, high}, {r, low}, {l, low}}, kBand);
  }
  for (const Tick& tick : layout.y_axis.ticks()) {
    const double y = b - tick.at * (b - t);
    canvas.polyline({{l, y}, {r, y}}, {kGrid, 1});
    canvas.text({l - 8, y + 0.35 * kTickSize}, tick.label, {kInk, kTickSize, Anchor::kEnd});
  }
  for (const Tick& tick : layout.x_axis.ticks()) {
    const double x = l + tick.at * (r - l);
    canvas.polyline({{x, b}, {x, b + (tick.label.empty() ? 3 : 5)}}, {kInk, 1});
    if (layout.names_upward) {
      canvas.text({x + 0.35 * kTickSize, b + 10}, tick.label,
                  {kInk, kTickSize, Anchor::kEnd, /*upward=*/true});
    } else {
      canvas.text({x, b + 18}, tick.label, {kInk, kTickSize, Anchor::kMiddle});
    }
  }

  canvas.polyline({{l, t}, {l, b}, {r, b}}, {kInk, 1.2});
  const double middle = (l + r) / 2;
  canvas.text({middle, b + layout.tick_room + 16}, plot.x_label,
              {kInk, kLabelSize, Anchor::kMiddle});
  canvas.text({22, (t + b) / 2}, plot.y_label, {kInk, kLabelSize, Anchor::kMiddle, true});
  canvas.text({middle, 26}, plot.title, {kInk, kTitleSize, Anchor::kMiddle});
}

void draw_legend(const Plot& plot, const Layout& layout, Canvas& canvas) {
  for (const LegendEntry& entry : layout.legend) {
    const double rows_below = static_cast<double>(layout.legend.back().row - entry.row);
    const double y = layout.top - 10 - rows_below * kLegendRow, line = y - 4;
    const Point begin{entry.x, line}, end{entry.x + kSample, line};
    const Point middle{entry.x + kSample / 2, line};

    if (!entry.series) {
      canvas.polyline({begin, end}, {kSoftInk, 1.6, /*dashed=*/true});
    } else {
      const Color color = kPalette[*entry.series % std::size(kPalette)];
      const Series::Style style = plot.series[*entry.series].style;
      if (style == Series::Style::kLine) canvas.polyline({begin, end}, {color, 2});
      if (style == Series::Style::kBars) {
        canvas.convex({{begin.x + 6, line - 5},
                       {end.x - 6, line - 5},
                       {end.x - 6, line + 5},
                       {begin.x + 6, line + 5}},
                      color);
      } else {
        draw_marker(canvas, *entry.series, middle);
      }
    }

    canvas.text({end.x + 6, y}, entry.name, {kInk, kTickSize});
  }
}

}  // namespace

PlotSize plot_size(const Plot& plot) {
  return {picture_width(plot), Layout(plot).height};
}

void draw_plot(const Plot& plot, Canvas& canvas) {
  const Layout layout(plot);
  draw_axes(plot, layout, canvas);
  for (const Reference& reference : plot.references) {
    const double y = layout.y(reference.y);
    canvas.polyline({{layout.left, y}, {layout.right, y}}, {kSoftInk, 1.6, /*dashed=*/true});
  }
  for (size_t i = 0; i < plot.series.size(); ++i) draw_series(plot, layout, i, canvas);
  draw_legend(plot, layout, canvas);
}

void write_plot(const Plot& plot, const std::filesystem::path& stem) {
  const PlotSize size = plot_size(plot);
  SvgCanvas svg(size.width, size.height);
  draw_plot(plot, svg);
  write_file_atomically(stem.string() + ".svg", svg.document());
  PixelCanvas pixels(size.width, size.height, /*scale=*/2);
  draw_plot(plot, pixels);
  write_png(stem.string() + ".png", pixels.width(), pixels.height(), pixels.rgb());
}

}  // namespace spikenm::report
