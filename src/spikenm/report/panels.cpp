#include "spikenm/report/plot.h"
#include "spikenm/report/plot_layout.h"
#include "spikenm/report/svg_canvas.h"

#include <algorithm>
#include <span>

namespace spikenm::report {

std::string panels_svg(const std::string& title, std::vector<Plot> plots, size_t columns) {
  constexpr double kTitleRoom = 34;
  constexpr Color kInk{38, 38, 38};
  columns = std::clamp<size_t>(plots.size(), 1, columns);
  for (size_t i = 1; i < plots.size(); ++i) plots[i].legend = false;
  // Where one plot of a row has a line below it, the others have room for one.
  for (size_t i = 0; i < plots.size(); ++i) {
    const size_t row = i / columns * columns, end = std::min(plots.size(), row + columns);
    const auto beside = std::span(plots).subspan(row, end - row);
    const bool has_note = std::any_of(beside.begin(), beside.end(),
                                      [](const Plot& plot) { return !plot.note.empty(); });
    if (has_note && plots[i].note.empty()) plots[i].note.push_back(' ');
  }

  // A column is as wide as its widest plot, a row as high as its highest.
  std::vector<double> widths(columns), heights((plots.size() + columns - 1) / columns);
  for (size_t i = 0; i < plots.size(); ++i) {
    const PlotSize size = plot_size(plots[i]);
    widths[i % columns] = std::max(widths[i % columns], size.width);
    heights[i / columns] = std::max(heights[i / columns], size.height);
  }
  double width = 0, height = kTitleRoom;
  for (const double w : widths) width += w;
  for (const double h : heights) height += h;

  SvgCanvas svg(width, height);
  svg.text({width / 2, 24}, title, {kInk, kTitleSize, Anchor::kMiddle});
  double y = kTitleRoom;
  for (size_t row = 0; row < heights.size(); ++row) {
    double x = 0;
    for (size_t i = row * columns; i < std::min(plots.size(), (row + 1) * columns); ++i) {
      // The areas of a row stand at its bottom, so that a legend pushes no plot out of line.
      svg.begin_part({x, y + heights[row] - plot_size(plots[i]).height});
      draw_plot(plots[i], svg);
      svg.end_part();
      x += widths[i % columns];
    }
    y += heights[row];
  }
  return svg.document();
}

}  // namespace spikenm::report
