#include "spikenm/data/contact_sheet.h"

#include "spikenm/data/event_picture.h"
#include "spikenm/data/shuffle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spikenm::data {
namespace {

// A pixel 0..255 as a byte.
uint8_t byte_of(float value) {
  if (!(value > 0)) return 0;
  return value < 255 ? static_cast<uint8_t>(std::lround(value)) : 255;
}

// The colours that show one sample's values.
class SampleColours {
 public:
  SampleColours(const Sample& sample, bool events) : sample_(sample), events_(events) {
    if (events) full_ = full_count(sample.values);
  }

  [[nodiscard]] Colour at(int64_t frame, int64_t x, int64_t y) const {
    const int64_t channels = sample_.shape.channels;
    const float first = value(frame, 0, x, y);
    if (events_) {
      return channels == 2 ? event_colour(first, value(frame, 1, x, y), full_)
                           : event_colour(first, full_);
    }
    if (channels != 3) return {byte_of(first), byte_of(first), byte_of(first)};
    return {byte_of(first), byte_of(value(frame, 1, x, y)), byte_of(value(frame, 2, x, y))};
  }

 private:
  [[nodiscard]] float value(int64_t frame, int64_t channel, int64_t x, int64_t y) const {
    const SampleShape& s = sample_.shape;
    return sample_
        .values[static_cast<size_t>(((frame * s.channels + channel) * s.height + y) * s.width + x)];
  }

  const Sample& sample_;
  bool events_;
  float full_ = 1;
};

}  // namespace

std::vector<int64_t> choose_samples(const Dataset& dataset, Part part, int64_t count,
                                    bool per_class, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(dataset.size(part)));
  std::iota(order.begin(), order.end(), int64_t{0});
  shuffle(order, RandomAddress(seed, random_stream(RandomUse::kShuffle)));
  if (!per_class) {
    order.resize(std::min(order.size(), static_cast<size_t>(count)));
    return order;
  }

  const auto label = [&](int64_t i) { return dataset.label(part, i); };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return label(a) < label(b); });

  std::vector<int64_t> chosen;
  int64_t taken = 0;  // of the current class
  for (const int64_t i : order) {
    taken = chosen.empty() || label(chosen.back()) != label(i) ? 0 : taken;
    if (taken++ < count) chosen.push_back(i);
  }
  return chosen;
}

TileGrid sheet_grid(const SheetLayout& layout) {
  const SampleShape& shape = layout.shape;
  const int64_t n = std::max<int64_t>(1, layout.samples);
  const bool one_line = layout.events && shape.height == 1;
  const int64_t n_tiles = one_line ? 1 : shape.frames;  // per sample

  int64_t columns = n_tiles;
  if (n_tiles == 1) {
    columns = layout.columns > 0
                  ? layout.columns
                  : static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  }
  return {.rows = n_tiles > 1 ? n : (n + columns - 1) / columns,
          .columns = columns,
          .tile_width = shape.width,
          .tile_height = one_line ? shape.frames : shape.height,
          .caption = layout.caption};
}

Picture draw_contact_sheet(const SheetLayout& layout,
                           const std::function<Sample(int64_t)>& sample) {
  const SampleShape& shape = layout.shape;
  const bool one_line = layout.events && shape.height == 1;
  const int64_t n_tiles = one_line ? 1 : shape.frames;  // per sample
  TileSheet sheet(sheet_grid(layout));

  for (int64_t i = 0; i < layout.samples; ++i) {
    const Sample drawn = sample(i);
    SPIKENM_ASSERT(drawn.shape == shape);
    const SampleColours colours(drawn, layout.events);
    for (int64_t t = 0; t < shape.frames; ++t)
      for (int64_t y = 0; y < shape.height; ++y)
        for (int64_t x = 0; x < shape.width; ++x)
          sheet.set(one_line ? i : i * n_tiles + t, x, one_line ? t : y, colours.at(t, x, y));
  }
  return sheet.take();
}

}  // namespace spikenm::data
