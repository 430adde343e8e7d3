// The data of conv3x3's pieces: 16 planes, one per place of a 4x4 tile. A plane is a matrix in
// strips of 32 columns, [strip][row][32], so that products read memory sequentially. Rows are tiles
// or channels, columns are channels.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

constexpr int64_t kStrip = 32;
// Products take 4, 6, 8 or 12 rows at a time, so they may read and write rows up to the next
// multiple of this.
constexpr int64_t kProductRows = 24;

// Matrices in 16 planes.
struct Planes {
  float* data = nullptr;
  int64_t strip = 0, plane = 0;  // floats from strip to strip and from plane to plane

  [[nodiscard]] float* at(int64_t row, int64_t column) const {
    return data + column / kStrip * strip + row * kStrip + column % kStrip;
  }
};

// Rows of 2x2 tiles of an activation [images, height, width, channels], counted over all images;
// `first` is the row of the planes' first tile.
struct TileRows {
  int64_t height = 0, width = 0, channels = 0, first = 0;
  const float* zeros = nullptr;  // [channels], read for pixels outside the image

  [[nodiscard]] int64_t tiles_y() const { return (height + 1) / 2; }
  [[nodiscard]] int64_t tiles_x() const { return (width + 1) / 2; }
};

// One plane of a product: rows [begin, end) of c, all columns.
struct PlaneProduct {
  Planes a, b, c;  // `data` points at the plane
  int64_t begin = 0, end = 0, columns = 0, depth = 0;
};

// The pieces at one instruction-set level; ranges are of tile rows, counted from `first`.
struct WinogradKernels {
  void (*transform_input)(const TileRows&, const float* x, const Planes&, int64_t begin,
                          int64_t end);
  void (*transform_output)(const TileRows&, const Planes&, float* y, int64_t begin, int64_t end);
  // The transpose of transform_output.
  void (*transform_gradient)(const TileRows&, const float* grad_y, const Planes&, int64_t begin,
                             int64_t end);
  // c = a b.
  void (*multiply)(const PlaneProduct&);
  // c += a^T b; a is [depth, rows].
  void (*add_transposed)(const PlaneProduct&);
};

}  // namespace spikenm::kernels
