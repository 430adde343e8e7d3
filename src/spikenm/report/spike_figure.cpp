#include "spikenm/report/spike_figure.h"

#include "spikenm/report/plot_layout.h"
#include "spikenm/report/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace spikenm::report {
namespace {

constexpr Color kInk{38, 38, 38}, kSoftInk{90, 90, 90}, kFrame{190, 190, 190};
constexpr double kLeft = 110, kRasterWidth = 420, kRateWidth = 190, kGapWidth = 64, kRight = 40;
constexpr double kRasterHeight = 110, kRowGap = 34, kTop = 62;
constexpr int64_t kMostRows = 96;  // neurons of a raster
constexpr double kTile = 72;       // side of an input frame

void put(std::vector<uint8_t>& rgb, int64_t place, Color color) {
  const auto at = static_cast<size_t>(3 * place);
  rgb[at] = color.r;
  rgb[at + 1] = color.g;
  rgb[at + 2] = color.b;
}

// Events: ON red, OFF blue, on white. Images: from their smallest value to their largest.
Color input_color(const SpikeRecord& r, int64_t frame, int64_t pixel, float low, float high) {
  const int64_t plane = r.height * r.width;
  const auto share = [&](int64_t channel) {
    const float v = r.input[static_cast<size_t>((frame * r.channels + channel) * plane + pixel)];
    return high > low ? std::clamp((v - low) / (high - low), 0.0F, 1.0F) : 0.0F;
  };
  const auto byte = [](double x) { return static_cast<uint8_t>(std::lround(255 * x)); };
  if (!r.events) {
    if (r.channels < 3) return {byte(share(0)), byte(share(0)), byte(share(0))};
    return {byte(share(0)), byte(share(1)), byte(share(2))};
  }
  // The square root keeps single events visible beside many.
  const double off = std::sqrt(share(0)), on = r.channels > 1 ? std::sqrt(share(1)) : off;
  return {byte(1 - 0.88 * off), byte((1 - 0.65 * off) * (1 - 0.85 * on)), byte(1 - 0.84 * on)};
}

void draw_input(const SpikeRecord& r, double y, SvgCanvas& svg) {
  if (r.input.empty()) return;
  const auto [low, high] = std::minmax_element(r.input.begin(), r.input.end());
  const double least = r.events ? 0 : *low;
  const double step = kRasterWidth / static_cast<double>(r.frames);
  const double side = std::min(kTile, r.frames == 1 ? kTile : step - 2);
  svg.text({kLeft - 8, y + side / 2}, "input", {kInk, kTickSize, Anchor::kEnd});
  for (int64_t t = 0; t < r.frames; ++t) {
    std::vector<uint8_t> rgb(static_cast<size_t>(3 * r.height * r.width));
    for (int64_t p = 0; p < r.height * r.width; ++p)
      put(rgb, p, input_color(r, t, p, static_cast<float>(least), *high));
    const double x = kLeft + step * (static_cast<double>(t) + (r.frames == 1 ? 0 : 0.5)) -
                     (r.frames == 1 ? 0 : side / 2);
    svg.box({x - 0.5, y - 0.5}, side + 1, side + 1, kFrame);
    svg.cells({x, y}, side, side, r.width, r.height, rgb);
  }
}

void draw_raster(const SpikeLayer& layer, double y, SvgCanvas& svg) {
  const int64_t rows = std::min(kMostRows, layer.neurons);
  std::vector<uint8_t> rgb(static_cast<size_t>(3 * layer.steps * rows), 255);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t t = 0; t < layer.steps; ++t)
      if (layer.fired(t, row * layer.neurons / rows)) put(rgb, row * layer.steps + t, palette(0));
  svg.box({kLeft - 1, y - 1}, kRasterWidth + 2, kRasterHeight + 2, kFrame);
  svg.cells({kLeft, y}, kRasterWidth, kRasterHeight, layer.steps, rows, rgb);
  svg.text({kLeft - 8, y + kRasterHeight / 2 - 4}, layer.name, {kInk, kTickSize, Anchor::kEnd});
  const std::string count = rows < layer.neurons ? fmt::format("{} of {}", rows, layer.neurons)
                                                 : fmt::format("{}", layer.neurons);
  svg.text({kLeft - 8, y + kRasterHeight / 2 + 12}, count, {kSoftInk, 10, Anchor::kEnd});
}

// A bar a step, up to the largest rate of all layers.
void draw_rates(const SpikeLayer& layer, double most, double y, SvgCanvas& svg) {
  const double left = kLeft + kRasterWidth + kGapWidth;
  const double step = kRateWidth / static_cast<double>(layer.steps), bottom = y + kRasterHeight;
  double sum = 0;
  for (int64_t t = 0; t < layer.steps; ++t) {
    double fired = 0;
    for (int64_t n = 0; n < layer.neurons; ++n) fired += layer.fired(t, n) ? 1 : 0;
    const double rate = fired / static_cast<double>(layer.neurons);
    const double height = most > 0 ? kRasterHeight * rate / most : 0;
    sum += rate;
    svg.box({left + step * static_cast<double>(t) + 0.1 * step, bottom - height}, 0.8 * step,
            height, palette(0));
  }
  svg.polyline({{left, y}, {left, bottom}, {left + kRateWidth, bottom}}, {kInk, 1});
  svg.text({left - 6, y + 8}, fmt::format("{:.3g} %", 100 * most), {kInk, 10, Anchor::kEnd});
  svg.text({left - 6, bottom}, "0", {kInk, 10, Anchor::kEnd});
  svg.text({left + kRateWidth, y - 4},
           fmt::format("mean {:.2f} %", 100 * sum / static_cast<double>(layer.steps)),
           {kSoftInk, 10, Anchor::kEnd});
}

double highest_rate(const SpikeRecord& record) {
  double most = 0;
  for (const SpikeLayer& layer : record.layers) {
    for (int64_t t = 0; t < layer.steps; ++t) {
      double fired = 0;
      for (int64_t n = 0; n < layer.neurons; ++n) fired += layer.fired(t, n) ? 1 : 0;
      most = std::max(most, fired / static_cast<double>(layer.neurons));
    }
  }
  return most;
}

}  // namespace

std::string spike_svg(const std::string& title, const SpikeRecord& record) {
  const double rows = static_cast<double>(record.layers.size());
  const double width = kLeft + kRasterWidth + kGapWidth + kRateWidth + kRight;
  const double first = kTop + kTile + kRowGap;
  const double height = first + rows * (kRasterHeight + kRowGap) + 24;
  SvgCanvas svg(width, height);
  svg.text({width / 2, 24}, title, {kInk, kTitleSize, Anchor::kMiddle});
  svg.text(
      {width / 2, 44},
      fmt::format("sample {}: class {}, answer {}", record.sample, record.right, record.answer),
      {kSoftInk, kTickSize, Anchor::kMiddle});
  draw_input(record, kTop, svg);

  const double most = highest_rate(record);
  double y = first;
  for (const SpikeLayer& layer : record.layers) {
    draw_raster(layer, y, svg);
    draw_rates(layer, most, y, svg);
    y += kRasterHeight + kRowGap;
  }
  const int64_t steps = record.layers.empty() ? 0 : record.layers.front().steps;
  const TextStyle style{kInk, kTickSize, Anchor::kMiddle};
  svg.text({kLeft + kRasterWidth / 2, y - 8}, fmt::format("step (1 to {}), a row a neuron", steps),
           style);
  svg.text({kLeft + kRasterWidth + kGapWidth + kRateWidth / 2, y - 8}, "neurons that fire, by step",
           style);
  return svg.document();
}

}  // namespace spikenm::report
