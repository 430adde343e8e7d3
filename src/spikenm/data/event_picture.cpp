#include "spikenm/data/event_picture.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {
namespace {

constexpr Colour kOn{214, 39, 40}, kOff{31, 90, 200}, kNoPolarity{0, 0, 0};
constexpr int64_t kLargestSide = 512;

// From 0 to 1. The square root keeps single events visible beside full colour.
double strength(float count, float full) {
  if (!(count > 0)) return 0;
  return count < full ? std::sqrt(static_cast<double>(count) / full) : 1;
}

// The share of white light that ink of this strength reflects, per colour.
double left_by(uint8_t ink, double strength) {
  return 1 - strength * (1 - ink / 255.0);
}

// Two inks on white paper, one over the other.
Colour print(Colour a, double strength_a, Colour b, double strength_b) {
  const auto mix = [&](uint8_t ink_a, uint8_t ink_b) {
    return static_cast<uint8_t>(
        std::lround(255 * left_by(ink_a, strength_a) * left_by(ink_b, strength_b)));
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

struct Extent {
  int64_t width = 1, height = 1, first = 0, last = 0;
};

Extent extent_of(const Recording& recording) {
  Extent e{.width = std::max(1, recording.width), .height = std::max(1, recording.height)};
  if (recording.events.empty()) return e;
  e.first = e.last = recording.events.front().t;
  for (const Event& event : recording.events) {
    e.width = std::max<int64_t>(e.width, event.x + 1);
    e.height = std::max<int64_t>(e.height, event.y + 1);
    e.first = std::min(e.first, event.t);
    e.last = std::max(e.last, event.t);
  }
  return e;
}

}  // namespace

float full_count(std::span<const float> counts) {
  std::vector<float> some;
  std::copy_if(counts.begin(), counts.end(), std::back_inserter(some),
               [](float count) { return count > 0; });
  if (some.empty()) return 1;
  const auto at = some.begin() + static_cast<std::ptrdiff_t>(some.size() * 95 / 100);
  std::nth_element(some.begin(), at, some.end());
  return *at;
}

Colour event_colour(float off, float on, float full) {
  return print(kOff, strength(off, full), kOn, strength(on, full));
}

Colour event_colour(float count, float full) {
  return print(kNoPolarity, strength(count, full), kNoPolarity, 0);
}

EventPicture draw_events(const Recording& recording, int64_t slices, int64_t caption) {
  const Extent e = extent_of(recording);
  const int64_t shrink = (std::max(e.width, e.height) + kLargestSide - 1) / kLargestSide;
  const int64_t width = (e.width + shrink - 1) / shrink, height = (e.height + shrink - 1) / shrink;
  const TileGrid grid{
      .rows = 1, .columns = slices, .tile_width = width, .tile_height = height, .caption = caption};
  TileSheet sheet(grid);

  std::vector<float> counts(static_cast<size_t>(slices * 2 * height * width), 0);
  const auto place = [&](int64_t slice, int64_t on, int64_t x, int64_t y) {
    return static_cast<size_t>(((slice * 2 + on) * height + y) * width + x);
  };

  // In double: the times of a damaged file may have a span that does not fit 64 bits.
  const double first = static_cast<double>(e.first);
  const double span = static_cast<double>(e.last) - first + 1;
  for (const Event& event : recording.events) {
    const double passed = (static_cast<double>(event.t) - first) / span;
    const int64_t slice =
        std::min(slices - 1, static_cast<int64_t>(passed * static_cast<double>(slices)));
    counts[place(slice, event.on != 0, event.x / shrink, event.y / shrink)] += 1;
  }

  const float full = full_count(counts);
  for (int64_t slice = 0; slice < slices; ++slice)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        sheet.set(slice, x, y,
                  event_colour(counts[place(slice, 0, x, y)], counts[place(slice, 1, x, y)], full));
  return {
      .picture = sheet.take(), .grid = grid, .first = first, .last = static_cast<double>(e.last)};
}

}  // namespace spikenm::data
