#include "spikenm/report/plot_layout.h"

#include "spikenm/core/error.h"
#include "spikenm/report/plot_labels.h"
#include "spikenm/report/text_width.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace spikenm::report {
namespace {

constexpr double kMostWidth = 4000, kNameRoom = 18, kLeft = 78, kRight = 24, kLegendGap = 18;
constexpr double kLimit = 1e300;  // so that the length of an axis is finite

double widest_of(const std::vector<std::string>& texts) {
  double widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, text_width(text, kTickSize));
  return widest;
}

// A single curve needs no legend.
std::vector<LegendEntry> legend_of(const Plot& plot) {
  std::vector<LegendEntry> entries;
  if (!plot.legend || plot.labels || plot.series.size() + plot.references.size() < 2)
    return entries;
  for (size_t i = 0; i < plot.series.size(); ++i)
    if (!plot.series[i].name.empty()) entries.push_back({plot.series[i].name, i});
  for (const Reference& r : plot.references) entries.push_back({r.name, std::nullopt});
  return entries;
}

double picture_width(const Plot& plot, const std::vector<LegendEntry>& legend) {
  double wanted = kLeft + kRight + kNameRoom * static_cast<double>(plot.names.size());
  for (const LegendEntry& entry : legend)
    wanted = std::max(wanted, kLeft + kRight + kSample + 6 + text_width(entry.name, kTickSize));
  return std::clamp(wanted, plot.least_width, std::max(plot.least_width, kMostWidth));
}

// The values that an axis must show.
class Range {
 public:
  explicit Range(bool logarithmic) : logarithmic_(logarithmic) {}

  void include(double value) {
    zero_ = zero_ || (logarithmic_ && value == 0);
    whole_ = whole_ && value == std::floor(value);
    if (logarithmic_ && value <= 0) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void include(const char* axis, double value, std::optional<double> spread) {
    SPIKENM_CHECK(!logarithmic_ || value >= 0,
                  "plot: found {} = {:g}, wanted 0 or more on a logarithmic axis", axis, value);
    for (const double v : {value, value - spread.value_or(0), value + spread.value_or(0)}) {
      SPIKENM_CHECK(std::abs(v) < kLimit,
                    "plot: found {} = {:g}, wanted a finite number below {:g}", axis, v, kLimit);
      include(v);
    }
  }
  [[nodiscard]] Axis axis() const {
    if (!logarithmic_) return Axis::linear(low_, high_, whole_);
    if (low_ > high_) return Axis::logarithmic(1, 1, zero_);  // zero is the only value
    return Axis::logarithmic(low_, high_, zero_);
  }

 private:
  bool logarithmic_, zero_ = false, whole_ = true;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
};

Axis make_x_axis(const Plot& plot) {
  const bool empty = std::all_of(plot.series.begin(), plot.series.end(),
                                 [](const Series& s) { return s.values.empty(); });
  SPIKENM_CHECK(!empty, "plot: found no values to draw");
  if (!plot.names.empty()) return Axis::names(plot.names);
  Range range(plot.log_x);
  for (const Series& series : plot.series)
    for (const Series::Value& value : series.values) range.include("x", value.x, value.x_spread);
  return range.axis();
}

Axis make_y_axis(const Plot& plot) {
  Range range(plot.log_y);
  for (const Series& series : plot.series) {
    if (series.style == Series::Style::kBars) range.include(0);
    for (const Series::Value& value : series.values) range.include("y", value.y, value.spread);
  }
  for (const Reference& r : plot.references) range.include("y", r.y, r.spread);
  return range.axis();
}

}  // namespace

PlotLayout::PlotLayout(const Plot& plot)
    : left(kLeft),
      right(0),
      legend(legend_of(plot)),
      x_axis(make_x_axis(plot)),
      y_axis(make_y_axis(plot)) {
  width = picture_width(plot, legend);
  right = width - kRight - (plot.labels ? label_room(plot) : 0);
  place_names(plot);
  place_legend(plot);
  const size_t rows = legend.empty() ? 0 : legend.back().row + 1;
  top = 18 + (plot.title.empty() ? 0 : 24) + static_cast<double>(rows) * kLegendRow;
  bottom = top + plot.area_height;
  height = bottom + tick_room + (plot.x_label.empty() ? 8 : 28) + (plot.note.empty() ? 0 : 20);
}

void PlotLayout::place_legend(const Plot&) {
  double x = 0;
  size_t row = 0;
  for (LegendEntry& entry : legend) {
    const double needed = kSample + 6 + text_width(entry.name, kTickSize);
    if (x > 0 && x + needed > right - left) {
      x = 0;
      ++row;
    }
    entry.x = left + x;
    entry.row = row;
    x += needed + kLegendGap;
  }
}

// Names stand below their places, on up to three lines; where they do not fit, all are slanted.
void PlotLayout::place_names(const Plot& plot) {
  if (plot.names.empty()) return;
  const double slot = (right - left) / static_cast<double>(plot.names.size());
  size_t lines = 1;
  for (const std::string& name : plot.names) {
    names.push_back(wrap_text(name, slot - 6, kTickSize, 3));
    lines = std::max(lines, names.back().size());
    if (names.back().empty()) {
      names.clear();
      break;
    }
  }
  if (!names.empty()) {
    tick_room = 22 + kNameLine * static_cast<double>(lines - 1);
    return;
  }
  constexpr double kRadians = kSlant * std::numbers::pi / 180;
  const double widest = widest_of(plot.names);
  tick_room = widest * std::sin(kRadians) + 22;
  // A slanted name reaches to the left of its place.
  left = std::max(left, widest * std::cos(kRadians) - slot / 2 + 8);
  const double wanted = left + kRight + kNameRoom * static_cast<double>(plot.names.size());
  width = std::max(width, std::min(kMostWidth, wanted));
  right = width - kRight;
}

}  // namespace spikenm::report
