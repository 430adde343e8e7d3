#include "spikenm/core/plane_edit.h"

#include "spikenm/core/error.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace spikenm {
namespace {

constexpr float kFill = -5;

// Pixel by pixel, as the edit says.
std::vector<float> edited(const std::vector<float>& plane, int64_t height, int64_t width,
                          const PlaneEdit& edit) {
  std::vector<float> result;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      float value = 0;
      if (edit.hole.contains(y, x)) {
        value = kFill;
      } else if (edit.kept.contains(y, x)) {
        const int64_t from_y = edit.row(y), from_x = edit.column(x);
        EXPECT_TRUE(from_y >= 0 && from_y < height && from_x >= 0 && from_x < width)
            << "reads beside the plane";
        value = plane.at(static_cast<size_t>(from_y * width + from_x));
      }
      result.push_back(value);
    }
  return result;
}

std::vector<float> numbered(int64_t n) {
  std::vector<float> plane;
  for (int64_t i = 1; i <= n; ++i) plane.push_back(static_cast<float>(i));
  return plane;
}

// Shifts by up to more than the side, mirrors, and holes at every corner and across the border.
std::vector<PlaneEdit> edits_of(int32_t height, int32_t width) {
  std::vector<PlaneEdit> edits;
  for (const bool mirrored : {false, true})
    for (int32_t dy = -height - 1; dy <= height + 1; ++dy)
      for (int32_t dx = -width - 1; dx <= width + 1; ++dx) {
        if (mirrored && (dy != 0 || dx != 0)) continue;
        PlaneEdit edit = whole_plane(height, width);
        edit.mirrored = mirrored;
        edit.dy = dy;
        edit.dx = mirrored ? width - 1 : dx;
        if (!mirrored)
          edit.kept = {std::max(0, -dy), std::min(height, height - dy), std::max(0, -dx),
                       std::min(width, width - dx)};
        edits.push_back(edit);
      }
  for (const Box& hole : {Box{0, 1, 0, 1}, Box{height - 1, height, width - 1, width},
                          Box{0, height, 0, width}, Box{0, height, width / 2, width}}) {
    edits.push_back(whole_plane(height, width));
    edits.back().hole = hole;
  }
  return edits;
}

TEST(PlaneEdit, TheWholePlaneStaysAsItIs) {
  EXPECT_EQ(edited(numbered(12), 3, 4, whole_plane(3, 4)), numbered(12));
}

TEST(PlaneEdit, TravelsToAKernelAsBytes) {
  EXPECT_TRUE(std::is_trivially_copyable_v<PlaneEdit>);
  EXPECT_TRUE(std::is_trivially_copyable_v<ChannelEdit>);
}

TEST(PlaneEdit, CombinedIsOneAfterTheOther) {
  for (const auto& [height, width] : {std::pair(1, 1), {1, 3}, {2, 1}, {3, 2}, {3, 4}}) {
    const std::vector<float> plane = numbered(int64_t{height} * width);
    const std::vector<PlaneEdit> edits = edits_of(height, width);
    for (const PlaneEdit& first : edits)
      for (const PlaneEdit& second : edits) {
        if (!first.hole.is_empty() && !second.hole.is_empty()) continue;
        ASSERT_EQ(edited(plane, height, width, combine(first, second)),
                  edited(edited(plane, height, width, first), height, width, second));
      }
  }
}

TEST(PlaneEdit, ThreeCombineInAnyGrouping) {
  const std::vector<PlaneEdit> edits = edits_of(2, 3);
  for (size_t i = 0; i + 8 < edits.size(); ++i) {
    const PlaneEdit &a = edits[i], &b = edits[i + 2], &c = edits[i + 3];
    EXPECT_EQ(edited(numbered(6), 2, 3, combine(combine(a, b), c)),
              edited(numbered(6), 2, 3, combine(a, combine(b, c))));
  }
}

TEST(PlaneEdit, TwoHolesAreABug) {
  PlaneEdit edit = whole_plane(2, 2);
  edit.hole = {0, 1, 0, 1};
  EXPECT_THROW(static_cast<void>(combine(edit, edit)), Bug);
}

}  // namespace
}  // namespace spikenm
