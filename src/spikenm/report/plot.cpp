#include "spikenm/report/plot.h"

#include "spikenm/core/file.h"
#include "spikenm/report/picture_file.h"
#include "spikenm/report/plot_labels.h"
#include "spikenm/report/plot_layout.h"
#include "spikenm/report/plot_marker.h"
#include "spikenm/report/svg_canvas.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace spikenm::report {
namespace {

constexpr Color kInk{38, 38, 38}, kSoftInk{90, 90, 90}, kGrid{226, 226, 226}, kBand{240, 240, 240};
constexpr size_t kMostMarkers = 30;  // of one line

void fill(Canvas& canvas, const std::vector<Point>& corners, Color color) {
  canvas.polygon(corners, color, 1);
}

// The x of a value. Bars and points of several series are drawn side by side at a name.
double place(const Plot& plot, const PlotLayout& layout, size_t i, const Series::Value& value) {
  const Series::Style style = plot.series[i].style;
  if (plot.names.empty() || style == Series::Style::kLine) return layout.x(value.x);
  const double slot = (layout.right - layout.left) / static_cast<double>(plot.names.size());
  const double n = static_cast<double>(plot.series.size());
  const double step = slot * (style == Series::Style::kBars ? 0.7 : 0.3) / n;
  return layout.x(value.x) + step * (static_cast<double>(i) - (n - 1) / 2);
}

void draw_error_bars(Canvas& canvas, const PlotLayout& layout, double x, const Series::Value& value,
                     Color color) {
  constexpr double kCap = 4;
  const Stroke stroke{color, 1.4};
  if (value.spread) {
    const double high = layout.y(value.y + *value.spread), low = layout.y(value.y - *value.spread);
    canvas.polyline({{x, high}, {x, low}}, stroke);
    canvas.polyline({{x - kCap, high}, {x + kCap, high}}, stroke);
    canvas.polyline({{x - kCap, low}, {x + kCap, low}}, stroke);
  }
  if (value.x_spread) {
    const double y = layout.y(value.y), low = layout.x(value.x - *value.x_spread),
                 high = layout.x(value.x + *value.x_spread);
    canvas.polyline({{low, y}, {high, y}}, stroke);
  }
}

void draw_band(Canvas& canvas, const PlotLayout& layout, const Series& series, Color color) {
  std::vector<Point> corners;
  for (const Series::Value& value : series.values)
    corners.push_back({layout.x(value.x), layout.y(value.y + value.spread.value_or(0))});
  for (const Series::Value& value : std::views::reverse(series.values))
    corners.push_back({layout.x(value.x), layout.y(value.y - value.spread.value_or(0))});
  canvas.polygon(corners, color, 0.18);
}

// A zero on a logarithmic axis is no neighbour of the next value: the line begins behind it.
void draw_line(const Plot& plot, const Series& series, const std::vector<Point>& points,
               Color color, Canvas& canvas) {
  const auto is_apart = [&](const Series::Value& value) {
    return (plot.log_x && value.x == 0) || (plot.log_y && value.y == 0);
  };
  std::vector<Point> piece;
  for (size_t k = 0; k <= points.size(); ++k) {
    if (k < points.size() && !is_apart(series.values[k])) {
      piece.push_back(points[k]);
      continue;
    }
    if (piece.size() > 1) canvas.polyline(piece, {color, 2});
    piece.clear();
  }
}

void draw_series(const Plot& plot, const PlotLayout& layout, size_t i, Canvas& canvas) {
  const Series& series = plot.series[i];
  const Color color = palette(i);
  const bool bars = series.style == Series::Style::kBars;
  const bool line = series.style == Series::Style::kLine;
  std::vector<Point> points;
  for (const Series::Value& value : series.values)
    points.push_back({place(plot, layout, i, value), layout.y(value.y)});
  if (series.band && points.size() > 1) draw_band(canvas, layout, series, color);
  if (line) draw_line(plot, series, points, color, canvas);
  const double slots = static_cast<double>(std::max<size_t>(1, plot.names.size()));
  const double half =
      0.35 * (layout.right - layout.left) / slots / static_cast<double>(plot.series.size());
  for (size_t k = 0; k < points.size(); ++k) {
    const Point p = points[k];
    if (bars) {
      const double zero = layout.y(0);
      fill(canvas, {{p.x - half, p.y}, {p.x + half, p.y}, {p.x + half, zero}, {p.x - half, zero}},
           color);
    }
    if (!series.band) draw_error_bars(canvas, layout, p.x, series.values[k], bars ? kInk : color);
    if (!bars && (!line || points.size() <= kMostMarkers)) draw_marker(canvas, i, p);
  }
}

// Two strokes across an axis, where it jumps from zero to the smallest value.
void draw_break(Canvas& canvas, Point at, bool along_x) {
  for (const double shift : {-2.5, 2.5}) {
    const Point p{at.x + (along_x ? shift : 0), at.y + (along_x ? 0 : shift)};
    canvas.polyline({{p.x - 3, p.y + 4}, {p.x + 3, p.y - 4}}, {kInk, 1.2});
  }
}

void draw_x_ticks(const PlotLayout& layout, Canvas& canvas) {
  const double l = layout.left, r = layout.right, b = layout.bottom;
  const std::vector<Tick>& ticks = layout.x_axis.ticks();
  const bool slanted = layout.tick_room > 22 && layout.names.empty();
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double x = l + ticks[i].at * (r - l);
    canvas.polyline({{x, b}, {x, b + (ticks[i].label.empty() ? 3 : 5)}}, {kInk, 1});
    if (slanted) {
      canvas.text({x + 4, b + 16}, ticks[i].label,
                  {kInk, kTickSize, Anchor::kEnd, Direction::kSlanted});
      continue;
    }
    const std::vector<std::string> lines =
        layout.names.empty() ? std::vector{ticks[i].label} : layout.names[i];
    for (size_t k = 0; k < lines.size(); ++k)
      canvas.text({x, b + 18 + kNameLine * static_cast<double>(k)}, lines[k],
                  {kInk, kTickSize, Anchor::kMiddle});
  }
  if (const auto at = layout.x_axis.break_at())
    draw_break(canvas, {l + *at * (r - l), b}, /*along_x=*/true);
}

void draw_axes(const Plot& plot, const PlotLayout& layout, Canvas& canvas) {
  const double l = layout.left, r = layout.right, t = layout.top, b = layout.bottom;
  for (const Reference& reference : plot.references) {
    if (!reference.spread) continue;
    const double high = layout.y(reference.y + *reference.spread),
                 low = layout.y(reference.y - *reference.spread);
    fill(canvas, {{l, high}, {r, high}, {r, low}, {l, low}}, kBand);
  }
  for (const Tick& tick : layout.y_axis.ticks()) {
    const double y = b - tick.at * (b - t);
    if (!tick.label.empty()) canvas.polyline({{l, y}, {r, y}}, {kGrid, 1});
    canvas.text({l - 8, y + 0.35 * kTickSize}, tick.label, {kInk, kTickSize, Anchor::kEnd});
  }
  draw_x_ticks(layout, canvas);

  canvas.polyline({{l, t}, {l, b}, {r, b}}, {kInk, 1.2});
  if (const auto at = layout.y_axis.break_at())
    draw_break(canvas, {l, b - *at * (b - t)}, /*along_x=*/false);
  const double middle = (l + r) / 2;
  canvas.text({middle, b + layout.tick_room + 16}, plot.x_label,
              {kInk, kLabelSize, Anchor::kMiddle});
  canvas.text({22, (t + b) / 2}, plot.y_label, {kInk, kLabelSize, Anchor::kMiddle, Direction::kUp});
  canvas.text({middle, 26}, plot.title, {kInk, kTitleSize, Anchor::kMiddle});
  if (!plot.note.empty())
    canvas.text({middle, layout.height - 8}, plot.note, {kSoftInk, kNoteSize, Anchor::kMiddle});
}

void draw_legend(const Plot& plot, const PlotLayout& layout, Canvas& canvas) {
  for (const LegendEntry& entry : layout.legend) {
    const double rows_below = static_cast<double>(layout.legend.back().row - entry.row);
    const double y = layout.top - 10 - rows_below * kLegendRow, line = y - 4;
    const Point begin{entry.x, line}, end{entry.x + kSample, line};
    const Point middle{entry.x + kSample / 2, line};

    if (!entry.series) {
      canvas.polyline({begin, end}, {kSoftInk, 1.6, /*dashed=*/true});
    } else {
      const Color color = palette(*entry.series);
      const Series::Style style = plot.series[*entry.series].style;
      if (style == Series::Style::kLine) canvas.polyline({begin, end}, {color, 2});
      if (style == Series::Style::kBars) {
        fill(canvas,
             {{begin.x + 6, line - 5},
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
  const PlotLayout layout(plot);
  return {layout.width, layout.height};
}

void draw_plot(const Plot& plot, Canvas& canvas) {
  const PlotLayout layout(plot);
  draw_axes(plot, layout, canvas);
  for (const Reference& reference : plot.references) {
    const double y = layout.y(reference.y);
    canvas.polyline({{layout.left, y}, {layout.right, y}}, {kSoftInk, 1.6, /*dashed=*/true});
  }
  for (size_t i = 0; i < plot.series.size(); ++i) draw_series(plot, layout, i, canvas);
  draw_legend(plot, layout, canvas);
  if (plot.labels) draw_labels(plot, layout, canvas);
}

std::string plot_svg(const Plot& plot) {
  const PlotSize size = plot_size(plot);
  SvgCanvas svg(size.width, size.height);
  draw_plot(plot, svg);
  return svg.document();
}

void write_plot(const Plot& plot, const std::filesystem::path& stem) {
  const std::string svg = plot_svg(plot);
  write_file_atomically(stem.string() + ".svg", svg);
  write_picture(svg, stem.string() + ".png");
}

}  // namespace spikenm::report
