#include "spikenm/core/plane_edit.h"

#include "spikenm/core/error.h"

#include <algorithm>

namespace spikenm {
namespace {

Box intersect(const Box& a, const Box& b) {
  return {.top = std::max(a.top, b.top),
          .bottom = std::min(a.bottom, b.bottom),
          .left = std::max(a.left, b.left),
          .right = std::min(a.right, b.right)};
}

// Where the pixels of `box` are after the edit.
Box moved(const Box& box, const PlaneEdit& edit) {
  const bool m = edit.mirrored;
  const Box to{.top = box.top - edit.dy,
               .bottom = box.bottom - edit.dy,
               .left = m ? edit.dx - box.right + 1 : box.left - edit.dx,
               .right = m ? edit.dx - box.left + 1 : box.right - edit.dx};
  return intersect(to, edit.kept);
}

}  // namespace

PlaneEdit whole_plane(int64_t height, int64_t width) {
  return {.kept = {.bottom = static_cast<int32_t>(height), .right = static_cast<int32_t>(width)}};
}

PlaneEdit combine(const PlaneEdit& first, const PlaneEdit& second) {
  SPIKENM_ASSERT(first.hole.is_empty() || second.hole.is_empty());
  return {.dy = first.dy + second.dy,
          .dx = first.dx + (first.mirrored ? -second.dx : second.dx),
          .mirrored = first.mirrored != second.mirrored,
          .kept = moved(first.kept, second),
          .hole = first.hole.is_empty() ? second.hole : moved(first.hole, second)};
}

}  // namespace spikenm
