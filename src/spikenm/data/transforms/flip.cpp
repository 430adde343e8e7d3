#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/transform.h"

namespace spikenm::data {
namespace {

class Flip : public Transform {
 public:
  Flip(double probability, std::vector<int64_t> mirrored)
      : probability_(probability), mirrored_(std::move(mirrored)) {}

  void apply(Sample& sample, const Draws& draws) const override {
    if (draws.uniform(0) >= probability_) return;
    const int64_t W = sample.shape.width, rows = sample.shape.planes() * sample.shape.height;
    for (int64_t r = 0; r < rows; ++r) {
      float* const row = sample.values.data() + r * W;
      std::reverse(row, row + W);
    }
    if (mirrored_.empty()) return;
    SPIKENM_ASSERT(sample.label >= 0 && sample.label < static_cast<int64_t>(mirrored_.size()));
    sample.label = mirrored_[static_cast<size_t>(sample.label)];
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
