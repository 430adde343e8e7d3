#include "spikenm/data/contact_sheet.h"

#include "support/expect_error.h"
#include "support/numbered_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace spikenm::data {
namespace {

constexpr int64_t kGap = TileSheet::kGap;
constexpr Colour kGapColour{TileSheet::kGapGrey, TileSheet::kGapGrey, TileSheet::kGapGrey};
constexpr Colour kWhite{255, 255, 255}, kBlack{0, 0, 0};

Picture draw(const SheetLayout& layout, const std::vector<std::vector<float>>& values) {
  return draw_contact_sheet(
      layout, [&](int64_t i) { return Sample{layout.shape, values[static_cast<size_t>(i)], 0}; });
}

test::NumberedDataset set_of(int64_t n, int64_t classes) {
  return {test::cyclic_labels(n, classes), classes};
}

TEST(ContactSheet, AnImageIsEnlargedByAWholeFactorWithAGapAround) {
  const Picture p = draw({.shape = {1, 3, 2, 1}, .samples = 1}, {{10, 20, 30, 40, 50, 60}});
  const int64_t factor = TileSheet::kSmallSide / 2;
  EXPECT_EQ(p.width, factor + 2 * kGap);
  EXPECT_EQ(p.height, 2 * factor + 2 * kGap);
  EXPECT_EQ(p.rgb.size(), static_cast<size_t>(3 * p.width * p.height));
  const Colour upper{10, 30, 50}, lower{20, 40, 60};
  EXPECT_EQ(p.at(kGap, kGap), upper);
  EXPECT_EQ(p.at(kGap + factor - 1, kGap + factor - 1), upper);
  EXPECT_EQ(p.at(kGap, kGap + factor), lower);
  EXPECT_EQ(p.at(kGap + factor - 1, kGap + 2 * factor - 1), lower);
  EXPECT_EQ(p.at(kGap - 1, kGap), kGapColour);
  EXPECT_EQ(p.at(kGap + factor, kGap), kGapColour);
  EXPECT_EQ(p.at(kGap, kGap + 2 * factor), kGapColour);
}

TEST(ContactSheet, LargeImagesKeepTheirSize) {
  const int64_t side = TileSheet::kSmallSide + 1;
  const Picture p = draw({.shape = {1, 1, side, side}, .samples = 1},
                         {std::vector<float>(static_cast<size_t>(side * side), 7)});
  EXPECT_EQ(p.width, side + 2 * kGap);
  EXPECT_EQ(p.at(kGap + side - 1, kGap + side - 1), (Colour{7, 7, 7}));
}

TEST(ContactSheet, ImagesFillAGridRowByRow) {
  std::vector<std::vector<float>> values;
  for (int i = 0; i < 5; ++i) values.push_back({static_cast<float>(10 * i)});
  const SampleShape pixel{1, 1, 1, 1};
  const int64_t pitch = TileSheet::kSmallSide + kGap;
  const Picture square = draw({.shape = pixel, .samples = 5}, values);  // 3 + 2
  EXPECT_EQ(square.width, 3 * pitch + kGap);
  EXPECT_EQ(square.height, 2 * pitch + kGap);
  EXPECT_EQ(square.at(kGap + 2 * pitch, kGap), (Colour{20, 20, 20}));
  EXPECT_EQ(square.at(kGap, kGap + pitch), (Colour{30, 30, 30}));
  EXPECT_EQ(square.at(kGap + 2 * pitch, kGap + pitch), kGapColour);
  const Picture given = draw({.shape = pixel, .samples = 5, .columns = 2}, values);
  EXPECT_EQ(given.width, 2 * pitch + kGap);
  EXPECT_EQ(given.height, 3 * pitch + kGap);
  EXPECT_EQ(given.at(kGap, kGap + 2 * pitch), (Colour{40, 40, 40}));
}

TEST(ContactSheet, PixelsOutsideBytesAreClipped) {
  const Picture p =
      draw({.shape = {1, 1, 1, 5}, .samples = 1},
           {{-3, 254.6f, 1e30f, std::nanf(""), std::numeric_limits<float>::infinity()}});
  const int64_t factor = TileSheet::kSmallSide / 5;
  std::vector<int> reds;
  for (int64_t x = 0; x < 5; ++x) reds.push_back(p.at(kGap + factor * x, kGap).red);
  EXPECT_EQ(reds, (std::vector<int>{0, 255, 255, 0, 255}));
}

TEST(ContactSheet, AnEventSampleIsARowOfFramesInColour) {
  // Two samples of three frames, two equal pixels: OFF, ON, both; and nothing at all.
  const Picture p = draw({.shape = {3, 2, 2, 1}, .events = true, .samples = 2},
                         {{5, 5, 0, 0, 0, 0, 5, 5, 5, 5, 5, 5}, std::vector<float>(12, 0)});
  const int64_t wide = TileSheet::kSmallSide / 2 + kGap, high = TileSheet::kSmallSide + kGap;
  EXPECT_EQ(p.width, 3 * wide + kGap);
  EXPECT_EQ(p.height, 2 * high + kGap);
  const Colour off = p.at(kGap, kGap), on = p.at(kGap + wide, kGap),
               both = p.at(kGap + 2 * wide, kGap);
  EXPECT_GT(off.blue, off.red + 100);
  EXPECT_GT(on.red, on.blue + 100);
  EXPECT_LT(both.red, off.red + 1);
  EXPECT_LT(both.blue, on.blue + 1);
  for (int64_t t = 0; t < 3; ++t) EXPECT_EQ(p.at(kGap + t * wide, kGap + high), kWhite);
}

TEST(ContactSheet, ASensorOfOneLineGivesOneTileWithTimeDownwards) {
  const SampleShape shape{2, 1, 1, 3};
  const Picture p =
      draw({.shape = shape, .events = true, .samples = 1}, {{9, 0, 0, /*t 1*/ 0, 0, 9}});
  const int64_t factor = TileSheet::kSmallSide / 3;
  EXPECT_EQ(p.width, 3 * factor + 2 * kGap);
  EXPECT_EQ(p.height, 2 * factor + 2 * kGap);
  EXPECT_EQ(p.at(kGap, kGap), kBlack);
  EXPECT_EQ(p.at(kGap + 2 * factor, kGap), kWhite);
  EXPECT_EQ(p.at(kGap, kGap + factor), kWhite);
  EXPECT_EQ(p.at(kGap + 2 * factor, kGap + factor), kBlack);
}

TEST(ContactSheet, ASheetThatWouldNotFitInMemoryIsRefusedBeforeAnySampleIsRead) {
  const auto never = [](int64_t) -> Sample { throw std::logic_error("read"); };
  EXPECT_ERROR(draw_contact_sheet({.shape = {1, 3, 1000, 1000}, .samples = 1000}, never),
               "picture: 32 rows of 32 tiles", "wanted at most 67 million");
  EXPECT_ERROR(
      draw_contact_sheet({.shape = {INT64_MAX / 4, 2, 9, 9}, .samples = INT64_MAX / 4}, never),
      "picture:");
}

TEST(ContactSheet, NoSamplesGiveAnEmptySheet) {
  const Picture p = draw({.shape = {1, 1, 4, 4}, .samples = 0}, {});
  EXPECT_TRUE(
      std::all_of(p.rgb.begin(), p.rgb.end(), [](uint8_t v) { return v == TileSheet::kGapGrey; }));
}

TEST(ChooseSamples, SamplesAreDistinctAndTheSeedsOwn) {
  const auto set = set_of(50, 5);
  const auto chosen = choose_samples(set, Part::kTrain, 20, false, 3);
  EXPECT_EQ(chosen, choose_samples(set, Part::kTrain, 20, false, 3));
  EXPECT_NE(chosen, choose_samples(set, Part::kTrain, 20, false, 4));
  EXPECT_EQ(std::set<int64_t>(chosen.begin(), chosen.end()).size(), 20u);
  for (const int64_t i : chosen) EXPECT_TRUE(0 <= i && i < 50) << i;
}

TEST(ChooseSamples, PerClassGivesAsManyOfEachInTheOrderOfTheClasses) {
  const auto set = set_of(50, 5);
  std::vector<int64_t> labels;
  for (const int64_t i : choose_samples(set, Part::kTest, 2, true, 0)) labels.push_back(i % 5);
  EXPECT_EQ(labels, (std::vector<int64_t>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(ChooseSamples, ASmallSetGivesWhatItHas) {
  EXPECT_EQ(choose_samples(set_of(3, 5), Part::kTrain, 20, false, 0).size(), 3u);
  EXPECT_EQ(choose_samples(set_of(7, 5), Part::kTrain, 2, true, 0).size(), 7u);
  EXPECT_TRUE(choose_samples(set_of(0, 5), Part::kTrain, 2, true, 0).empty());
}

}  // namespace
}  // namespace spikenm::data
