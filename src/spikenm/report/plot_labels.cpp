#include "spikenm/report/plot_labels.h"

#include "spikenm/core/error.h"
#include "spikenm/report/plot_marker.h"
#include "spikenm/report/text_width.h"

#include <algorithm>

namespace spikenm::report {
namespace {

constexpr double kLead = 30, kOut = 7, kTurn = 6, kMark = 10, kApart = 15;
constexpr Color kInk{38, 38, 38};

struct Label {
  std::string name;
  std::optional<size_t> series;  // empty: a reference
  Point end;
  double y;
};

std::vector<Label> labels_of(const Plot& plot, const PlotLayout& layout) {
  std::vector<Label> labels;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (series.values.empty()) continue;
    const Series::Value& last = series.values.back();
    const Point end{layout.x(last.x), layout.y(last.y)};
    labels.push_back({series.name, i, end, end.y});
  }
  for (const Reference& r : plot.references)
    labels.push_back({r.name, std::nullopt, {layout.right, layout.y(r.y)}, layout.y(r.y)});
  return labels;
}

// How far down the name must stand so that the line to it goes below the other curves' points on its
// way, with their bars. A point that wants too steep a line is crossed.
double below_points(const Plot& plot, const PlotLayout& layout, const Label& label) {
  constexpr double kGap = 4, kMostDown = 4 * kApart;
  const double begin = label.end.x + kOut, whole = layout.right + kTurn - begin;
  double y = label.y;
  for (size_t i = 0; i < plot.series.size(); ++i) {
    for (const Series::Value& value : plot.series[i].values) {
      const double way = layout.x(value.x) - begin;
      if (label.series == i || way <= 0) continue;
      const double high = layout.y(value.y + value.spread.value_or(0)) - kGap,
                   low = layout.y(value.y - value.spread.value_or(0)) + kGap;
      const double there = label.end.y + (y - label.end.y) * way / whole;
      const double down = (low - label.end.y) * whole / way;
      if (high < there && there < low && down < kMostDown) y = label.end.y + down;
    }
  }
  return y;
}

// Down where they are too close, then up again from the bottom.
void push_apart(std::vector<Label>& labels, double bottom) {
  for (size_t i = 1; i < labels.size(); ++i)
    labels[i].y = std::max(labels[i].y, labels[i - 1].y + kApart);
  double most = bottom;
  for (size_t i = labels.size(); i-- > 0; most = labels[i].y - kApart)
    labels[i].y = std::min(labels[i].y, most);
}

}  // namespace

double label_room(const Plot& plot) {
  double widest = 0;
  for (const Series& s : plot.series) widest = std::max(widest, text_width(s.name, kTickSize));
  for (const Reference& r : plot.references)
    widest = std::max(widest, text_width(r.name, kTickSize));
  return kLead + kMark + widest;
}

void draw_labels(const Plot& plot, const PlotLayout& layout, Canvas& canvas) {
  std::vector<Label> labels = labels_of(plot, layout);
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label& a, const Label& b) { return a.y < b.y; });
  const auto most = static_cast<size_t>((layout.bottom - layout.top) / kApart) + 1;
  SPIKENM_CHECK(
      labels.size() <= most,
      "plot: found {} curves to label, wanted at most {}: more have room in a legend alone",
      labels.size(), most);
  for (Label& label : labels) label.y = below_points(plot, layout, label);
  push_apart(labels, layout.bottom);
  const double mark = layout.right + kLead;
  for (const Label& label : labels) {
    const Color color = label.series ? palette(*label.series) : kInk;
    canvas.polyline(
        {{label.end.x + kOut, label.end.y}, {layout.right + kTurn, label.y}, {mark - 6, label.y}},
        {color, 0.6, /*dashed=*/!label.series});
    if (label.series) draw_marker(canvas, *label.series, {mark, label.y});
    canvas.text({mark + kMark, label.y + 0.35 * kTickSize}, label.name, {kInk, kTickSize});
  }
}

}  // namespace spikenm::report
