#include "spikenm/data/transforms/plane_transform.h"

#include "support/samples.h"

#include <gtest/gtest.h>

namespace spikenm::data {
namespace {

using test::numbered_sample;

// Does what it is told.
class Told : public PlaneTransform {
 public:
  explicit Told(const PlaneEdit& edit, std::vector<float> fill = {})
      : PlaneTransform(std::move(fill)), edit_(edit) {}

  [[nodiscard]] PlaneEdit choose(const SampleShape&, int64_t& label, const Draws&) const override {
    label += 10;
    return edit_;
  }

 private:
  PlaneEdit edit_;
};

Sample done(const Told& transform, Sample sample) {
  transform.apply(sample, Draws(1, 0, 0, 0));
  return sample;
}

TEST(PlaneTransform, EveryPixelIsWhatTheEditSays) {
  for (const SampleShape& shape : {SampleShape{1, 1, 1, 1}, SampleShape{2, 3, 3, 4},
                                   SampleShape{1, 2, 5, 1}, SampleShape{3, 1, 1, 5}}) {
    const auto [T, C, H, W] = shape;
    const Sample sample = numbered_sample(shape);
    const std::vector<float> fill = {-1, -2, -3};
    // A corner at every pixel: what is beyond it is kept, what is before it is blanked.
    for (int32_t corner = 0; corner < 2 * H * W; ++corner) {
      const auto h = static_cast<int32_t>(H), w = static_cast<int32_t>(W);
      const int32_t y = corner / 2 / w, x = corner / 2 % w;
      PlaneEdit edit{.kept = {y, h, x, w}, .hole = {0, y, 0, x}};
      edit.mirrored = corner % 2 == 1;
      edit.dx = edit.mirrored ? w - 1 : 0;
      const Sample found = done(Told(edit, fill), sample);
      ASSERT_EQ(found.shape, shape);
      for (int64_t i = 0; i < shape.size(); ++i) {
        const int64_t row = i / W % H, column = i % W, channel = i / (H * W) % C;
        const int64_t from = edit.mirrored ? W - 1 - column : column;
        const float wanted = row < y && column < x ? fill[static_cast<size_t>(channel)]
                             : row >= y && column >= x
                                 ? sample.values[static_cast<size_t>(i - column + from)]
                                 : 0;
        ASSERT_EQ(found.values[static_cast<size_t>(i)], wanted) << T << " " << i;
      }
    }
  }
}

TEST(PlaneTransform, NothingKeptIsAllBlack) {
  const Sample sample = numbered_sample({1, 1, 2, 3});
  for (const Box& nothing : {Box{}, Box{2, 2, 0, 3}, Box{0, 2, 3, 0}, Box{5, -5, 0, 3}}) {
    const Sample found = done(Told({.kept = nothing}), sample);
    EXPECT_EQ(found.values, std::vector<float>(6, 0.0f));
  }
}

TEST(PlaneTransform, TheLabelIsTheChoosers) {
  Sample sample = numbered_sample({1, 1, 2, 3});
  sample.label = 3;
  const Sample found = done(Told(whole_plane(2, 3)), sample);
  EXPECT_EQ(found.label, 13);
  EXPECT_EQ(found.values, sample.values);
}

}  // namespace
}  // namespace spikenm::data
