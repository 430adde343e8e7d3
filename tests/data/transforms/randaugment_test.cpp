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

// The folds of 1000 samples.
std::vector<uint32_t> folds_of(const std::string& text) {
  const TransformChain chain({text}, kCifar, "data.augment");
  std::vector<uint32_t> folds;
  for (int64_t i = 0; i < 1000; ++i) {
    Sample sample = formula_sample();
    chain.apply(sample, 5, 3, i);
    folds.push_back(fold(sample.values));
  }
  return folds;
}

// Wanted numbers come from Pillow 13 and torchvision's tables of magnitudes, with these draws.
TEST(RandAugment, ImagesAreWhatPillowMakesOfThem) {
  const std::vector<uint32_t> folds = folds_of("randaugment:2:9");
  EXPECT_EQ(folds[0], 4161798887u);
  EXPECT_EQ(folds[1], 1457275238u);
  EXPECT_EQ(folds[2], 1462515383u);
  EXPECT_EQ(fold(folds), 2652733160u);
  EXPECT_EQ(folds_of("randaugment"), folds);
}

TEST(RandAugment, StrongestImagesAreWhatPillowMakesOfThem) {
  const std::vector<uint32_t> folds = folds_of("randaugment:3:30");
  EXPECT_EQ(folds[0], 415660378u);
  EXPECT_EQ(fold(folds), 2254313896u);
}

TEST(RandAugment, NoOperationsChangeNothing) {
  EXPECT_EQ(transformed("randaugment:0", kCifar, formula_sample(), 0).values,
            formula_sample().values);
}

TEST(RandAugment, RefusesBadArguments) {
  const Sample sample = formula_sample();
  EXPECT_ERROR(transformed("randaugment:2:31", kCifar, sample, 0), "'randaugment:2:31'",
               "argument 2: found 31, wanted a whole number from 0 to 30");
  EXPECT_ERROR(transformed("randaugment:-1", kCifar, sample, 0), "argument 1: found -1");
  EXPECT_ERROR(transformed("randaugment:2:9:31", kCifar, sample, 0), "found 3 arguments");
  EXPECT_ERROR(transformed("randaugment", {.shape = kCifar.shape, .events = true}, sample, 0),
               "event frames");
}

TEST(TrivialAugment, ImagesAreWhatPillowMakesOfThem) {
  const std::vector<uint32_t> folds = folds_of("trivialaugment");
  EXPECT_EQ(folds[0], 3347672960u);
  EXPECT_EQ(folds[1], 2423002590u);
  EXPECT_EQ(folds[2], 1270247480u);
  EXPECT_EQ(fold(folds), 2112280617u);
}

TEST(TrivialAugment, RefusesArgumentsAndEvents) {
  const Sample sample = formula_sample();
  EXPECT_ERROR(transformed("trivialaugment:1", kCifar, sample, 0), "wanted at most 0");
  EXPECT_ERROR(transformed("trivialaugment", {.shape = kCifar.shape, .events = true}, sample, 0),
               "event frames");
}

}  // namespace
}  // namespace spikenm::data
