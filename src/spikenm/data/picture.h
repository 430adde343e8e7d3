// A picture in memory, and one made of equal tiles.
#pragma once

#include "spikenm/core/error.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace spikenm::data {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;

  bool operator==(const Colour&) const = default;
};

struct Picture {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> rgb;  // [height,width,3]

  [[nodiscard]] Colour at(int64_t x, int64_t y) const {
    const auto i = static_cast<size_t>(3 * (y * width + x));
    return {rgb[i], rgb[i + 1], rgb[i + 2]};
  }
  void set(int64_t x, int64_t y, Colour colour) {
    const auto i = static_cast<size_t>(3 * (y * width + x));
    rgb[i] = colour.red;
    rgb[i + 1] = colour.green;
    rgb[i + 2] = colour.blue;
  }
};

// Rows of tiles with a thin gap around each. Small tiles are enlarged by a whole factor.
class TileSheet {
 public:
  static constexpr int64_t kGap = 2, kSmallSide = 96, kMaxPixels = int64_t{1} << 26;
  static constexpr uint8_t kGapGrey = 208;

  TileSheet(int64_t rows, int64_t columns, int64_t tile_width, int64_t tile_height)
      : columns_(columns),
        factor_(std::max<int64_t>(1, kSmallSide / std::max(tile_width, tile_height))),
        pitch_x_(factor_ * tile_width + kGap),
        pitch_y_(factor_ * tile_height + kGap) {
    // In double: a product of the user's numbers may not fit 64 bits.
    const double width = static_cast<double>(columns) * static_cast<double>(pitch_x_) + kGap;
    const double height = static_cast<double>(rows) * static_cast<double>(pitch_y_) + kGap;
    SPIKENM_CHECK(width * height <= static_cast<double>(kMaxPixels),
                  "picture: {} rows of {} tiles make {:.0f} x {:.0f} pixels, wanted at most {} "
                  "million; draw fewer samples or frames",
                  rows, columns, width, height, kMaxPixels / 1'000'000);
    picture_ = {static_cast<int64_t>(width), static_cast<int64_t>(height), {}};
    picture_.rgb.assign(static_cast<size_t>(3 * picture_.width * picture_.height), kGapGrey);
  }

  [[nodiscard]] int64_t factor() const { return factor_; }

  // Pixel (x, y) of a tile; tiles are numbered row by row.
  void set(int64_t tile, int64_t x, int64_t y, Colour colour) {
    const int64_t left = kGap + tile % columns_ * pitch_x_ + factor_ * x;
    const int64_t top = kGap + tile / columns_ * pitch_y_ + factor_ * y;
    for (int64_t dy = 0; dy < factor_; ++dy)
      for (int64_t dx = 0; dx < factor_; ++dx) picture_.set(left + dx, top + dy, colour);
  }

  [[nodiscard]] Picture take() { return std::move(picture_); }

 private:
  int64_t columns_, factor_, pitch_x_, pitch_y_;
  Picture picture_;
};

}  // namespace spikenm::data
