#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/plane_transform.h"

namespace spikenm::data {
namespace {

// Blanks one box. Its centre may be any pixel; the part outside the image is cut off [DeVries17].
// The hole has the mean colour, which becomes 0 when normalised, or no events.
class Cutout : public PlaneTransform {
 public:
  Cutout(int64_t height, int64_t width, std::vector<float> fill)
      : PlaneTransform(std::move(fill)), height_(height), width_(width) {}

  [[nodiscard]] PlaneEdit choose(const SampleShape& shape, int64_t& /*label*/,
                                 const Draws& draws) const override {
    const int64_t H = shape.height, W = shape.width;
    const int64_t y = draws.below(0, static_cast<uint32_t>(H)) - height_ / 2;
    const int64_t x = draws.below(1, static_cast<uint32_t>(W)) - width_ / 2;
    PlaneEdit edit = whole_plane(H, W);
    edit.hole = {.top = static_cast<int32_t>(std::max<int64_t>(0, y)),
                 .bottom = static_cast<int32_t>(std::min(H, y + height_)),
                 .left = static_cast<int32_t>(std::max<int64_t>(0, x)),
                 .right = static_cast<int32_t>(std::min(W, x + width_))};
    return edit;
  }

 private:
  int64_t height_, width_;
};

}  // namespace

// Without an argument: a third of each side for events (as UPR), else 16 pixels.
std::unique_ptr<Transform> make_cutout(const TransformArguments& arguments,
                                       const TransformContext& context) {
  const auto channels = static_cast<size_t>(context.shape.channels);
  const int64_t side = Arguments(arguments, 1).whole(0, 16, 1, kMostPixels);

  std::vector<float> fill(channels, 0.0f);
  if (!context.events && !context.mean.empty()) {
    SPIKENM_CHECK(context.mean.size() == channels,
                  "found {} mean colours, wanted one for each of {} channels", context.mean.size(),
                  channels);
    for (size_t c = 0; c < channels; ++c) fill[c] = static_cast<float>(255 * context.mean[c]);
  }

  if (context.events && arguments.numbers.empty())
    return std::make_unique<Cutout>(std::max<int64_t>(1, context.shape.height / 3),
                                    std::max<int64_t>(1, context.shape.width / 3), std::move(fill));
  return std::make_unique<Cutout>(side, side, std::move(fill));
}

}  // namespace spikenm::data
