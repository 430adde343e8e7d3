#include "spikenm/data/transforms/autoaugment.h"

#include "support/expect_error.h"
#include "support/samples.h"

namespace spikenm::data {
namespace {

using test::fold;
using test::formula_image;
using test::transformed;

const TransformContext kCifar{.shape = {1, 3, 32, 32}};

Sample formula_sample() {
  const Image image = formula_image(3, 32, 32, 40, 150);
  return {.shape = kCifar.shape, .values = {image.pixels.begin(), image.pixels.end()}};
}

// Wanted numbers come from Pillow 13 and torchvision's table of policies, with these draws.
TEST(AutoAugment, ImagesAreWhatPillowMakesOfThem) {
  const uint32_t wanted[] = {246174564u,  246174564u,  882017816u,  2525063038u,
                             2525063038u, 3761140464u, 2525063038u, 2525063038u,
                             246174564u,  3919163032u, 869274346u,  2525063038u};
  const TransformChain chain({"autoaugment"}, kCifar, "data.augment");
  std::vector<uint32_t> folds;
  for (int64_t i = 0; i < 1000; ++i) {
    Sample sample = formula_sample();
    chain.apply(sample, 5, 3, i);
    folds.push_back(fold(sample.values));
  }
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(folds[i], wanted[i]) << i;
  EXPECT_EQ(fold(folds), 532460247u);
}

TEST(AutoAugment, MagnitudesAreThoseOfTorchLinspace) {
  const OpRanges ranges = image_ranges({1, 3, 32, 64});
  const auto at = [&](ImageOp op, int64_t bin, bool negative) {
    return op_magnitude(op, bin, 10, ranges, negative);
  };
  EXPECT_FLOAT_EQ(static_cast<float>(at(ImageOp::kShearX, 8, false)), 0.266666681f);
  EXPECT_FLOAT_EQ(static_cast<float>(at(ImageOp::kTranslateX, 9, true)), -2 * 14.5015106f);
  EXPECT_FLOAT_EQ(static_cast<float>(at(ImageOp::kTranslateY, 9, false)), 14.5015106f);
  EXPECT_FLOAT_EQ(static_cast<float>(at(ImageOp::kRotate, 2, true)), -6.66666651f);
  EXPECT_FLOAT_EQ(static_cast<float>(at(ImageOp::kSharpness, 3, false)), 0.299999982f);
  EXPECT_EQ(at(ImageOp::kSolarize, 3, true), 170);
  EXPECT_EQ(at(ImageOp::kSolarize, 6, false), 85);
  EXPECT_EQ(at(ImageOp::kPosterize, 7, true), 5);
  EXPECT_EQ(at(ImageOp::kInvert, 7, true), 0);
}

TEST(AutoAugment, WholeTranslationsAreCutAsTorchvisionCutsThem) {
  const OpRanges wide{.translate_x = 32};
  EXPECT_LT(op_magnitude(ImageOp::kTranslateX, 15, 31, wide, false), 16);
  EXPECT_EQ(op_magnitude(ImageOp::kTranslateX, 30, 31, wide, false), 32);
}

TEST(AutoAugment, RefusesEventsAndOtherChannels) {
  const Sample sample = formula_sample();
  EXPECT_ERROR(transformed("autoaugment", {.shape = kCifar.shape, .events = true}, sample, 0),
               "data.augment: 'autoaugment'", "the samples are event frames");
  EXPECT_ERROR(transformed("autoaugment", {.shape = {1, 2, 32, 32}}, sample, 0),
               "found images of 2 channels, wanted 1 or 3");
  EXPECT_ERROR(transformed("autoaugment:1", kCifar, sample, 0),
               "found 1 arguments, wanted at most 0");
}

}  // namespace
}  // namespace spikenm::data
