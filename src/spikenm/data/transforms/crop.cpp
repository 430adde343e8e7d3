#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/plane_transform.h"

namespace spikenm::data {
namespace {

// Pads with zeros and cuts out a window of the original size at a random place. Pixels are not yet
// normalised, so zero is black.
class Crop : public PlaneTransform {
 public:
  explicit Crop(int32_t padding) : padding_(padding) {}

  [[nodiscard]] PlaneEdit choose(const SampleShape& shape, int64_t& /*label*/,
                                 const Draws& draws) const override {
    const auto places = static_cast<uint32_t>(2 * padding_ + 1);
    PlaneEdit edit = whole_plane(shape.height, shape.width);
    edit.dy = static_cast<int32_t>(draws.below(0, places)) - padding_;
    edit.dx = static_cast<int32_t>(draws.below(1, places)) - padding_;
    // The part of the window outside the sample is not kept; if all of it is outside, nothing is
    // kept.
    (edit.dy < 0 ? edit.kept.top : edit.kept.bottom) -= edit.dy;
    (edit.dx < 0 ? edit.kept.left : edit.kept.right) -= edit.dx;
    return edit;
  }

 private:
  int32_t padding_;
};

}  // namespace

std::unique_ptr<Transform> make_crop(const TransformArguments& arguments, const TransformContext&) {
  return std::make_unique<Crop>(
      static_cast<int32_t>(Arguments(arguments, 1).whole(0, 4, 0, kMostPixels)));
}

}  // namespace spikenm::data
