#include "spikenm/data/transforms/arguments.h"
#include "spikenm/data/transforms/autoaugment.h"

namespace spikenm::data {
namespace {

constexpr int64_t kBins = 31;
constexpr auto kOps = static_cast<uint32_t>(ImageOp::kInvert);  // all operations except the last

// [Cubuk20]: several random operations, all at the same bin.
class RandAugment : public Transform {
 public:
  RandAugment(int64_t n_ops, int64_t bin) : n_ops_(static_cast<uint64_t>(n_ops)), bin_(bin) {}

  void apply(Sample& sample, const Draws& draws) const override {
    const OpRanges ranges = image_ranges(sample.shape);
    edit_frames(sample, [&](Image& image) {
      for (uint64_t i = 0; i < n_ops_; ++i) {
        const auto op = static_cast<ImageOp>(draws.below(2 * i, kOps));
        const bool negative = draws.below(2 * i + 1, 2) == 1;
        apply_op(image, op, op_magnitude(op, bin_, kBins, ranges, negative));
      }
    });
  }

 private:
  uint64_t n_ops_;
  int64_t bin_;
};

// [Mueller21], the wide space: one random operation at a random bin.
class TrivialAugment : public Transform {
 public:
  void apply(Sample& sample, const Draws& draws) const override {
    const OpRanges ranges{.shear = 0.99,
                          .translate_x = 32,
                          .translate_y = 32,
                          .rotate = 135,
                          .enhance = 0.99,
                          .posterize = 6};
    const auto op = static_cast<ImageOp>(draws.below(0, kOps));
    const bool negative = draws.below(2, 2) == 1;
    const double magnitude = op_magnitude(op, draws.below(1, kBins), kBins, ranges, negative);
    edit_frames(sample, [&](Image& image) { apply_op(image, op, magnitude); });
  }
};

}  // namespace

std::unique_ptr<Transform> make_randaugment(const TransformArguments& arguments,
                                            const TransformContext& context) {
  const Arguments given(arguments, 2);
  require_images(context);
  return std::make_unique<RandAugment>(given.whole(0, 2, 0, 100), given.whole(1, 9, 0, kBins - 1));
}

std::unique_ptr<Transform> make_trivialaugment(const TransformArguments& arguments,
                                               const TransformContext& context) {
  const Arguments none(arguments, 0);
  require_images(context);
  return std::make_unique<TrivialAugment>();
}

}  // namespace spikenm::data
