#include "spikenm/nm/mask_cells.h"

#include "spikenm/nm/mask.h"

#include <gtest/gtest.h>

namespace spikenm::nm {
namespace {

BlockLayout blocks_of_4() {
  return make_layout({1, 8, 1, 1}, NmPattern::parse("2:4", "x"), Axis::kIn, "x");
}

const std::vector<float> kWeight{1, -2, 3, -4, 5, -6, 7, -8};
const std::vector<uint8_t> kKeep{1, 0, 1, 0, 0, 0, 1, 1}, kBefore{1, 1, 0, 0, 0, 0, 1, 1};

TEST(MaskCells, AreTheWeightsOfBlocks) {
  const MaskCells cells = mask_cells(blocks_of_4(), kKeep, kWeight, kBefore);
  EXPECT_EQ(cells.blocks, 2);
  EXPECT_EQ(cells.m, 4);
  EXPECT_EQ(cells.rows, 1);
  EXPECT_EQ(cells.columns, 32);
  const auto red = [&](size_t cell) { return cells.rgb[3 * cell]; };
  const auto blue = [&](size_t cell) { return cells.rgb[3 * cell + 2]; };
  EXPECT_GT(blue(0), red(0));  // kept before and now
  EXPECT_EQ(red(1), 244);      // dropped
  EXPECT_GT(red(2), blue(2));  // new
  EXPECT_LT(red(7), red(6));   // the larger weight is darker, whatever its sign
  EXPECT_EQ(red(8), 255);      // no weight
}

TEST(MaskCells, WithoutAMaskBeforeNothingIsNew) {
  const MaskCells cells = mask_cells(blocks_of_4(), kKeep, kWeight);
  EXPECT_GT(cells.rgb[3 * 2 + 2], cells.rgb[3 * 2]);
}

TEST(MaskCells, OfManyBlocksTheFirstAreShown) {
  const BlockLayout layout =
      make_layout({64, 64, 1, 1}, NmPattern::parse("2:8", "x"), Axis::kIn, "x");
  const std::vector<float> weight(64 * 64, 1);
  const MaskCells cells = mask_cells(layout, std::vector<uint8_t>(64 * 64, 1), weight);
  EXPECT_EQ(cells.blocks, 64);
  EXPECT_EQ(cells.rows, 16);
}

TEST(MaskCells, WithoutBlocksARowIsAnOutputChannel) {
  const MaskCells cells = mask_cells(no_blocks({2, 4, 1, 1}), kKeep, kWeight);
  EXPECT_EQ(cells.rows, 2);
  EXPECT_EQ(cells.columns, 4);
  EXPECT_EQ(cells.m, 0);
  EXPECT_EQ(cells.rgb[3 * 1], 244);
  EXPECT_EQ(cells.rgb[3 * 4], 244) << "the first weight of the second channel is dropped";
  EXPECT_LT(cells.rgb[3 * 6], 244);
}

TEST(MaskPicture, HasALineAroundEveryCellAndADarkerOneAroundEveryBlock) {
  const MaskCells cells = mask_cells(blocks_of_4(), kKeep, kWeight);
  const Picture picture = mask_picture(cells);
  EXPECT_EQ(picture.width, 32 * 6 + 1);
  EXPECT_EQ(picture.height, 6 + 1);
  ASSERT_EQ(picture.pixels.size(), static_cast<size_t>(3 * picture.width * picture.height));
  const auto red = [&](int64_t x, int64_t y) {
    return picture.pixels[static_cast<size_t>(3 * (y * picture.width + x))];
  };
  EXPECT_EQ(red(3, 3), cells.rgb[0]);
  EXPECT_EQ(red(6 + 3, 3), cells.rgb[3]);
  EXPECT_EQ(red(24, 3), 110);
  EXPECT_EQ(red(192, 3), 110);
  EXPECT_EQ(red(6, 3), 220);
  EXPECT_EQ(red(3, 6), 220);
}

}  // namespace
}  // namespace spikenm::nm
