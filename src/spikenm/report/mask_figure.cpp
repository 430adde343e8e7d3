#include "spikenm/report/mask_figure.h"

#include "spikenm/nm/mask_cells.h"
#include "spikenm/report/plot_layout.h"
#include "spikenm/report/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spikenm::report {
namespace {

constexpr Color kInk{38, 38, 38}, kSoftInk{90, 90, 90}, kLine{150, 150, 150};
constexpr double kCell = 5, kLeft = 110, kGapWidth = 22, kTop = 76, kRowGap = 26;
constexpr int64_t kCells = 32;  // most of one picture, side by side
constexpr size_t kMostMoments = 6;

// Evenly spaced, the first and the last among them.
std::vector<const MaskMoment*> some_of(const std::vector<MaskMoment>& moments) {
  std::vector<const MaskMoment*> chosen;
  const size_t n = std::min(kMostMoments, moments.size());
  for (size_t i = 0; i < n; ++i)
    chosen.push_back(&moments[n == 1 ? 0 : i * (moments.size() - 1) / (n - 1)]);
  return chosen;
}

const LayerMask* layer_named(const MaskMoment& moment, const std::string& name) {
  for (const LayerMask& layer : moment.layers)
    if (layer.name == name) return &layer;
  return nullptr;
}

void draw_cells(const nm::MaskCells& cells, Point corner, SvgCanvas& svg) {
  const double width = kCell * static_cast<double>(cells.columns);
  const double height = kCell * static_cast<double>(cells.rows);
  svg.cells(corner, width, height, cells.columns, cells.rows, cells.rgb);
  const int64_t block = cells.m > 0 ? cells.m : cells.columns;
  for (int64_t c = 0; c <= cells.columns; c += block) {
    const double x = corner.x + kCell * static_cast<double>(c);
    svg.polyline({{x, corner.y}, {x, corner.y + height}}, {kLine, 0.8});
  }
  for (int64_t r = 0; r <= cells.rows; ++r) {
    const double y = corner.y + kCell * static_cast<double>(r);
    svg.polyline({{corner.x, y}, {corner.x + width, y}}, {kLine, 0.4});
  }
}

// "2:8"; not "dense", nor "auto:0.25" of a run whose patterns are not known yet.
bool is_n_of_m(const std::string& pattern) {
  return pattern.find(':') != std::string::npos && !pattern.starts_with("auto");
}

// A layer that is too small for one block keeps all weights: "2:8" beside them would look wrong.
std::string rule_of(const LayerMask& layer) {
  const bool has_block = layer.layout.n_blocks > 0;
  return is_n_of_m(layer.pattern) && !has_block ? "no whole block" : layer.pattern;
}

std::string shown_of(const nm::MaskCells& cells, const nm::BlockLayout& layout) {
  return cells.m > 0 ? fmt::format("{} of {}", cells.blocks, layout.n_blocks)
                     : fmt::format("{} of {} weights", cells.rows * cells.columns, layout.numel);
}

// A row a layer, a column a moment. Returns where it ends.
double draw_layers(const std::vector<const MaskMoment*>& moments, SvgCanvas& svg) {
  const double step = kCell * kCells + kGapWidth;
  for (size_t i = 0; i < moments.size(); ++i)
    svg.text({kLeft + step * static_cast<double>(i) + kCell * kCells / 2, kTop - 8},
             moments[i]->name, {kInk, kTickSize, Anchor::kMiddle});

  double y = kTop;
  for (const LayerMask& last : moments.back()->layers) {
    const LayerMask* before = nullptr;
    nm::MaskCells cells;
    for (size_t i = 0; i < moments.size(); ++i) {
      const LayerMask* mask = layer_named(*moments[i], last.name);
      if (mask == nullptr) continue;
      cells = nm::mask_cells(mask->layout, mask->keep, mask->magnitude,
                             before != nullptr ? Bytes(before->keep) : Bytes{});
      draw_cells(cells, {kLeft + step * static_cast<double>(i), y}, svg);
      before = mask;
    }
    const double middle = y + kCell * static_cast<double>(cells.rows) / 2;
    svg.text({kLeft - 8, middle - 6}, last.name, {kInk, kTickSize, Anchor::kEnd});
    svg.text({kLeft - 8, middle + 8}, rule_of(last), {kSoftInk, 10, Anchor::kEnd});
    svg.text({kLeft - 8, middle + 20}, shown_of(cells, last.layout), {kSoftInk, 9, Anchor::kEnd});
    y += kCell * static_cast<double>(cells.rows) + kRowGap;
  }
  return y;
}

Plot kept_plot(const MaskMoment& last) {
  Plot plot;
  plot.title = "kept share of each layer, " + last.name;
  plot.y_label = "kept %";
  plot.area_height = 180;
  plot.least_width = 460;
  // Else 2:8 with a bar at 40 % looks wrong.
  const auto has_tail = [](const LayerMask& layer) {
    return is_n_of_m(layer.pattern) && layer.layout.tail() > 0;
  };
  if (std::any_of(last.layers.begin(), last.layers.end(), has_tail))
    plot.note = "weights in no whole block (tails) stay, and count as kept";
  Series bars{.name = "kept", .style = Series::Style::kBars, .values = {}};
  for (const LayerMask& layer : last.layers) {
    bars.values.push_back({.x = static_cast<double>(plot.names.size()),
                           .y = 100 * layer.kept_share(),
                           .spread = {},
                           .x_spread = {}});
    plot.names.push_back(layer.name);
  }
  plot.series = {bars};
  return plot;
}

Plot entropy_plot(const std::vector<MaskMoment>& moments) {
  Plot plot;
  plot.title = "entropy of the mask logits (1: all positions alike)";
  plot.x_label = "epoch";
  plot.y_label = "entropy / log m";
  plot.area_height = 180;
  plot.least_width = 460;
  for (const LayerMask& layer : moments.front().layers) {
    Series series{.name = layer.name, .style = Series::Style::kLine, .values = {}};
    for (const MaskMoment& moment : moments)
      if (const LayerMask* found = layer_named(moment, layer.name); found && found->entropy)
        series.values.push_back(
            {.x = moment.epoch, .y = *found->entropy, .spread = {}, .x_spread = {}});
    if (!series.values.empty()) plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

std::string masks_svg(const std::string& title, const std::vector<MaskMoment>& moments) {
  const std::vector<const MaskMoment*> chosen = some_of(moments);
  const Plot kept = kept_plot(moments.back()), entropy = entropy_plot(moments);
  const bool has_entropy = !entropy.series.empty();
  SvgCanvas trial(1, 1);
  const double below = draw_layers(chosen, trial);
  const double pictures =
      kLeft + static_cast<double>(chosen.size()) * (kCell * kCells + kGapWidth) + 10;
  const PlotSize kept_size = plot_size(kept);
  const double plots = kept_size.width + (has_entropy ? plot_size(entropy).width : 0);
  const double plot_height =
      std::max(kept_size.height, has_entropy ? plot_size(entropy).height : 0);
  const double width = std::max({pictures, plots, 640.0});

  SvgCanvas svg(width, below + plot_height + 10);
  svg.text({width / 2, 24}, title, {kInk, kTitleSize, Anchor::kMiddle});
  svg.text({width / 2, 44},
           "a cell a weight, a frame a block; blue: kept, orange: kept and new, grey: dropped; "
           "darker: larger |w|",
           {kSoftInk, kNoteSize, Anchor::kMiddle});
  draw_layers(chosen, svg);
  svg.begin_part({0, below + plot_height - kept_size.height});
  draw_plot(kept, svg);
  svg.end_part();
  if (has_entropy) {
    svg.begin_part({kept_size.width, below + plot_height - plot_size(entropy).height});
    draw_plot(entropy, svg);
    svg.end_part();
  }
  return svg.document();
}

}  // namespace spikenm::report
