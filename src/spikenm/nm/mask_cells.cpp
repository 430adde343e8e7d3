#include "spikenm/nm/mask_cells.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace spikenm::nm {
namespace {

constexpr int64_t kMostColumns = 32, kMostRows = 16;
constexpr int64_t kCellPixels = 6;  // with the line before it

using Rgb = std::array<uint8_t, 3>;
constexpr Rgb kKept{0, 114, 178}, kNew{213, 94, 0}, kDropped{244, 244, 244};
constexpr Rgb kLine{220, 220, 220}, kBlockLine{110, 110, 110};

// Pale to full.
Rgb shade(const Rgb& full, double share) {
  Rgb mixed{};
  for (size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = static_cast<uint8_t>(std::lround(255 - (0.35 + 0.65 * share) * (255 - full[i])));
  return mixed;
}

struct Cell {
  size_t row, column, weight;
};

MaskCells cells_of_blocks(const BlockLayout& layout, std::vector<Cell>& places) {
  const int64_t per_row = std::max<int64_t>(1, kMostColumns / layout.m);
  MaskCells cells{.columns = per_row * layout.m, .m = layout.m};
  cells.blocks = std::min(layout.n_blocks, per_row * kMostRows);
  cells.rows = (cells.blocks + per_row - 1) / per_row;
  for (int64_t b = 0; b < cells.blocks; ++b)
    for (int64_t s = 0; s < layout.m; ++s)
      places.push_back({static_cast<size_t>(b / per_row),
                        static_cast<size_t>(b % per_row * layout.m + s),
                        static_cast<size_t>(layout.start(b) + s * layout.position_stride)});
  return cells;
}

MaskCells cells_of_channels(const BlockLayout& layout, std::vector<Cell>& places) {
  MaskCells cells{.rows = std::min(layout.n_channels, kMostRows),
                  .columns = std::min(layout.channel_stride, kMostColumns)};
  for (int64_t r = 0; r < cells.rows; ++r)
    for (int64_t c = 0; c < cells.columns; ++c)
      places.push_back({static_cast<size_t>(r), static_cast<size_t>(c),
                        static_cast<size_t>(r * layout.channel_stride + c)});
  return cells;
}

MaskCells shown_cells(const BlockLayout& layout, std::vector<Cell>& places) {
  return layout.n_blocks > 0 ? cells_of_blocks(layout, places) : cells_of_channels(layout, places);
}

int64_t end_of(const std::vector<Cell>& places) {
  size_t end = 0;
  for (const Cell& cell : places) end = std::max(end, cell.weight + 1);
  return static_cast<int64_t>(end);
}

}  // namespace

int64_t shown_values(const BlockLayout& layout) {
  std::vector<Cell> places;
  shown_cells(layout, places);
  return end_of(places);
}

MaskCells mask_cells(const BlockLayout& layout, std::span<const uint8_t> keep,
                     std::span<const float> weight, std::span<const uint8_t> before) {
  std::vector<Cell> places;
  MaskCells cells = shown_cells(layout, places);
  const auto n = static_cast<size_t>(end_of(places));
  SPIKENM_ASSERT(keep.size() >= n && keep.size() == weight.size());
  SPIKENM_ASSERT(before.empty() || before.size() == keep.size());
  cells.rgb.assign(static_cast<size_t>(3 * cells.rows * cells.columns), 255);

  float most = 0;
  for (const Cell& cell : places) most = std::max(most, std::abs(weight[cell.weight]));
  for (const auto& [row, column, w] : places) {
    const bool is_new = !before.empty() && before[w] == 0;
    const double share = most > 0 ? std::abs(weight[w]) / most : 0;
    const Rgb color = keep[w] == 0 ? kDropped : shade(is_new ? kNew : kKept, share);
    std::copy(color.begin(), color.end(),
              cells.rgb.begin() +
                  static_cast<int64_t>(3 * (row * static_cast<size_t>(cells.columns) + column)));
  }
  return cells;
}

Picture mask_picture(const MaskCells& cells) {
  Picture picture{.width = cells.columns * kCellPixels + 1,
                  .height = cells.rows * kCellPixels + 1,
                  .pixels = {}};
  picture.pixels.reserve(static_cast<size_t>(3 * picture.width * picture.height));
  const int64_t block = cells.m > 0 ? cells.m * kCellPixels : picture.width - 1;
  for (int64_t y = 0; y < picture.height; ++y) {
    for (int64_t x = 0; x < picture.width; ++x) {
      const int64_t cell = y / kCellPixels * cells.columns + x / kCellPixels;
      const bool on_line = x % kCellPixels == 0 || y % kCellPixels == 0;
      const auto at = cells.rgb.begin() + 3 * cell;
      const Rgb color = x % block == 0 ? kBlockLine : on_line ? kLine : Rgb{at[0], at[1], at[2]};
      picture.pixels.insert(picture.pixels.end(), color.begin(), color.end());
    }
  }
  return picture;
}

}  // namespace spikenm::nm
