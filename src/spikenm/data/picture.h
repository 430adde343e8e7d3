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

// Where the tiles of a picture stand: rows with a thin gap around each tile and room for words
// above it. Small tiles are enlarged by a whole factor.
struct TileGrid {
  static constexpr int64_t kGap = 2, kSmallSide = 96;

  int64_t rows = 1, columns = 1, tile_width = 1, tile_height = 1;
  int64_t caption = 0;  // height of the room for words, in pixels

  [[nodiscard]] int64_t factor() const {
    return std::max<int64_t>(1, kSmallSide / std::max(tile_width, tile_height));
  }
  [[nodiscard]] int64_t pitch_x() const { return factor() * tile_width + kGap; }
  [[nodiscard]] int64_t pitch_y() const { return caption + factor() * tile_height + kGap; }
  // The upper left pixel of a tile; tiles are numbered row by row.
  [[nodiscard]] int64_t left(int64_t tile) const { return kGap + tile % columns * pitch_x(); }
  [[nodiscard]] int64_t top(int64_t tile) const {
    return kGap + caption + tile / columns * pitch_y();
  }
};

// A picture of such tiles.
class TileSheet {
 public:
  static constexpr int64_t kGap = TileGrid::kGap, kSmallSide = TileGrid::kSmallSide,
                           kMaxPixels = int64_t{1} << 26;
  static constexpr uint8_t kGapGrey = 208;

  explicit TileSheet(const TileGrid& grid) : grid_(grid), factor_(grid.factor()) {
    // In double: a product of the user's numbers may not fit 64 bits.
    const double width =
        static_cast<double>(grid.columns) * static_cast<double>(grid.pitch_x()) + kGap;
    const double height =
        static_cast<double>(grid.rows) * static_cast<double>(grid.pitch_y()) + kGap;
    SPIKENM_CHECK(width * height <= static_cast<double>(kMaxPixels),
                  "picture: {} rows of {} tiles make {:.0f} x {:.0f} pixels, wanted at most {} "
                  "million; draw fewer samples or frames",
                  grid.rows, grid.columns, width, height, kMaxPixels / 1'000'000);
    picture_ = {static_cast<int64_t>(width), static_cast<int64_t>(height), {}};
    picture_.rgb.assign(static_cast<size_t>(3 * picture_.width * picture_.height), kGapGrey);
  }

  // Pixel (x, y) of a tile; tiles are numbered row by row.
  void set(int64_t tile, int64_t x, int64_t y, Colour colour) {
    const int64_t left = grid_.left(tile) + factor_ * x, top = grid_.top(tile) + factor_ * y;
    for (int64_t dy = 0; dy < factor_; ++dy)
      for (int64_t dx = 0; dx < factor_; ++dx) picture_.set(left + dx, top + dy, colour);
  }

  [[nodiscard]] Picture take() { return std::move(picture_); }

 private:
  TileGrid grid_;
  int64_t factor_;
  Picture picture_;
};

}  // namespace spikenm::data
