#include "spikenm/data/transforms/plane_transform.h"

#include <cstring>

namespace spikenm::data {
namespace {

// Moves the pixel at (y + dy, x + dx) to (y, x) inside `kept`; all other pixels become 0.
void shift(float* plane, int64_t height, int64_t width, int64_t dy, int64_t dx, const Box& kept) {
  const int64_t left = kept.left, right = kept.right;
  for (int64_t k = 0; k < height; ++k) {
    // In this order no row is written before it is read.
    const int64_t y = dy >= 0 ? k : height - 1 - k;
    float* const row = plane + y * width;
    if (!kept.contains(y, left)) {
      std::fill_n(row, width, 0.0f);
      continue;
    }
    std::memmove(row + left, row + dy * width + left + dx,
                 static_cast<size_t>(right - left) * sizeof(float));
    std::fill_n(row, left, 0.0f);
    std::fill_n(row + right, width - right, 0.0f);
  }
}

void edit_plane(const PlaneEdit& edit, int64_t height, int64_t width, float fill, float* plane) {
  if (edit.mirrored)
    for (int64_t y = 0; y < height; ++y) std::reverse(plane + y * width, plane + (y + 1) * width);

  // The rows are already mirrored here, so columns are taken in order.
  const int64_t dx = edit.mirrored ? width - 1 - edit.dx : edit.dx;
  const bool keeps_all = edit.kept == whole_plane(height, width).kept;
  if (!keeps_all || edit.dy != 0 || dx != 0) shift(plane, height, width, edit.dy, dx, edit.kept);

  const Box& hole = edit.hole;
  for (int64_t y = hole.top; hole.contains(y, hole.left); ++y)
    std::fill(plane + y * width + hole.left, plane + y * width + hole.right, fill);
}

}  // namespace

void PlaneTransform::apply(Sample& sample, const Draws& draws) const {
  const auto [T, C, H, W] = sample.shape;
  const PlaneEdit edit = choose(sample.shape, sample.label, draws);
  if (edit == whole_plane(H, W)) return;
  for (int64_t p = 0; p < T * C; ++p)
    edit_plane(edit, H, W, fill_.empty() ? 0 : fill_[static_cast<size_t>(p % C)],
               sample.values.data() + p * H * W);
}

}  // namespace spikenm::data
