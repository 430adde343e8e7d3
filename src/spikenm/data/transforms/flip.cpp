#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/plane_transform.h"

namespace spikenm::data {
namespace {

class Flip : public PlaneTransform {
 public:
  Flip(double probability, std::vector<int64_t> mirrored)
      : probability_(probability), mirrored_(std::move(mirrored)) {}

  [[nodiscard]] PlaneEdit choose(const SampleShape& shape, int64_t& label,
                                 const Draws& draws) const override {
    PlaneEdit edit = whole_plane(shape.height, shape.width);
    if (draws.uniform(0) >= probability_) return edit;
    edit.mirrored = true;
    edit.dx = edit.kept.right - 1;
    if (mirrored_.empty()) return edit;
    SPIKENM_ASSERT(label >= 0 && label < static_cast<int64_t>(mirrored_.size()));
    label = mirrored_[static_cast<size_t>(label)];
    return edit;
  }

 private:
  double probability_;
  std::vector<int64_t> mirrored_;  // left and right of a gesture change places
};

}  // namespace

std::unique_ptr<Transform> make_flip(const std::vector<double>& arguments,
                                     const TransformContext& context) {
  return std::make_unique<Flip>(Arguments(arguments, 1).real(0, 0.5, 0, 1), context.mirrored);
}

}  // namespace spikenm::data
