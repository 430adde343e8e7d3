#include "spikenm/data/transforms/autoaugment.h"

#include "spikenm/data/transforms/arguments.h"

#include <cmath>

namespace spikenm::data {
namespace {

struct PolicyStep {
  ImageOp op;
  double probability;
  int bin = 0;  // 0 to 9
};

struct Policy {
  PolicyStep steps[2];
};

// [Cubuk19], found on CIFAR-10.
constexpr Policy kPolicies[] = {
    {{{ImageOp::kInvert, 0.1}, {ImageOp::kContrast, 0.2, 6}}},
    {{{ImageOp::kRotate, 0.7, 2}, {ImageOp::kTranslateX, 0.3, 9}}},
    {{{ImageOp::kSharpness, 0.8, 1}, {ImageOp::kSharpness, 0.9, 3}}},
    {{{ImageOp::kShearY, 0.5, 8}, {ImageOp::kTranslateY, 0.7, 9}}},
    {{{ImageOp::kAutoContrast, 0.5}, {ImageOp::kEqualize, 0.9}}},
    {{{ImageOp::kShearY, 0.2, 7}, {ImageOp::kPosterize, 0.3, 7}}},
    {{{ImageOp::kColor, 0.4, 3}, {ImageOp::kBrightness, 0.6, 7}}},
    {{{ImageOp::kSharpness, 0.3, 9}, {ImageOp::kBrightness, 0.7, 9}}},
    {{{ImageOp::kEqualize, 0.6}, {ImageOp::kEqualize, 0.5}}},
    {{{ImageOp::kContrast, 0.6, 7}, {ImageOp::kSharpness, 0.6, 5}}},
    {{{ImageOp::kColor, 0.7, 7}, {ImageOp::kTranslateX, 0.5, 8}}},
    {{{ImageOp::kEqualize, 0.3}, {ImageOp::kAutoContrast, 0.4}}},
    {{{ImageOp::kTranslateY, 0.4, 3}, {ImageOp::kSharpness, 0.2, 6}}},
    {{{ImageOp::kBrightness, 0.9, 6}, {ImageOp::kColor, 0.2, 8}}},
    {{{ImageOp::kSolarize, 0.5, 2}, {ImageOp::kInvert, 0.0}}},
    {{{ImageOp::kEqualize, 0.2}, {ImageOp::kAutoContrast, 0.6}}},
    {{{ImageOp::kEqualize, 0.2}, {ImageOp::kEqualize, 0.6}}},
    {{{ImageOp::kColor, 0.9, 9}, {ImageOp::kEqualize, 0.6}}},
    {{{ImageOp::kAutoContrast, 0.8}, {ImageOp::kSolarize, 0.2, 8}}},
    {{{ImageOp::kBrightness, 0.1, 3}, {ImageOp::kColor, 0.7, 0}}},
    {{{ImageOp::kSolarize, 0.4, 5}, {ImageOp::kAutoContrast, 0.9}}},
    {{{ImageOp::kTranslateY, 0.9, 9}, {ImageOp::kTranslateY, 0.7, 9}}},
    {{{ImageOp::kAutoContrast, 0.9}, {ImageOp::kSolarize, 0.8, 3}}},
    {{{ImageOp::kEqualize, 0.8}, {ImageOp::kInvert, 0.1}}},
    {{{ImageOp::kTranslateY, 0.7, 9}, {ImageOp::kAutoContrast, 0.9}}},
};

class AutoAugment : public Transform {
 public:
  void apply(Sample& sample, const Draws& draws) const override {
    const OpRanges ranges = image_ranges(sample.shape);
    const Policy& policy = kPolicies[draws.below(0, std::size(kPolicies))];
    edit_frames(sample, [&](Image& image) {
      uint64_t draw = 1;
      for (const PolicyStep& step : policy.steps) {
        const bool wanted = draws.uniform(draw++) <= step.probability;
        const bool negative = draws.below(draw++, 2) == 0;
        if (wanted) apply_op(image, step.op, op_magnitude(step.op, step.bin, 10, ranges, negative));
      }
    });
  }
};

// As torch.linspace: in single precision, counted from the nearer end and rounded once. Step 15 of
// 30 to 32 pixels is 15.999999, a translation by 15 pixels.
double spaced(double first, double last, int64_t n, int64_t i) {
  const auto from = static_cast<float>(first), to = static_cast<float>(last);
  const double step = (to - from) / static_cast<float>(n - 1);
  return static_cast<float>(i < n / 2 ? from + step * static_cast<double>(i)
                                      : to - step * static_cast<double>(n - 1 - i));
}

}  // namespace

OpRanges image_ranges(const SampleShape& shape) {
  return {.translate_x = 150.0 / 331.0 * static_cast<double>(shape.width),
          .translate_y = 150.0 / 331.0 * static_cast<double>(shape.height)};
}

double op_magnitude(ImageOp op, int64_t bin, int64_t n_bins, const OpRanges& ranges,
                    bool negative) {
  const double sign = negative ? -1 : 1;
  switch (op) {
    case ImageOp::kShearX:
    case ImageOp::kShearY:
      return sign * spaced(0, ranges.shear, n_bins, bin);
    case ImageOp::kTranslateX:
      return sign * spaced(0, ranges.translate_x, n_bins, bin);
    case ImageOp::kTranslateY:
      return sign * spaced(0, ranges.translate_y, n_bins, bin);
    case ImageOp::kRotate:
      return sign * spaced(0, ranges.rotate, n_bins, bin);
    case ImageOp::kBrightness:
    case ImageOp::kColor:
    case ImageOp::kContrast:
    case ImageOp::kSharpness:
      return sign * spaced(0, ranges.enhance, n_bins, bin);
    case ImageOp::kPosterize:
      return 8 - std::round(static_cast<double>(bin) * ranges.posterize /
                            static_cast<double>(n_bins - 1));
    case ImageOp::kSolarize:
      return spaced(255, 0, n_bins, bin);
    case ImageOp::kIdentity:
    case ImageOp::kAutoContrast:
    case ImageOp::kEqualize:
    case ImageOp::kInvert:
      break;
  }
  return 0;
}

void require_images(const TransformContext& context) {
  SPIKENM_CHECK(!context.events, "works on images, and the samples are event frames");
  SPIKENM_CHECK(context.shape.channels == 1 || context.shape.channels == 3,
                "found images of {} channels, wanted 1 or 3", context.shape.channels);
}

std::unique_ptr<Transform> make_autoaugment(const TransformArguments& arguments,
                                            const TransformContext& context) {
  const Arguments none(arguments, 0);
  require_images(context);
  return std::make_unique<AutoAugment>();
}

}  // namespace spikenm::data
