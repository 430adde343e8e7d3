#include "spikenm/report/mask_figure.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

LayerMask layer(std::vector<uint8_t> keep) {
  LayerMask mask{.name = "conv2", .pattern = "2:4", .layout = {}, .keep = std::move(keep)};
  mask.magnitude = {1, 2, 3, 4, 5, 6, 7, 8};
  mask.layout = nm::make_layout({1, 8, 1, 1}, nm::NmPattern::parse("2:4", "x"), nm::Axis::kIn, "x");
  mask.entropy = 0.9;
  return mask;
}

TEST(MaskFigure, CellsAreTheWeightsOfBlocks) {
  const LayerMask before = layer({1, 1, 0, 0, 0, 0, 1, 1}), now = layer({1, 0, 1, 0, 0, 0, 1, 1});
  const MaskCells cells = mask_cells(now, &before);
  EXPECT_EQ(cells.blocks, 2);
  EXPECT_EQ(cells.rows, 1);
  const auto red = [&](size_t cell) { return cells.rgb[3 * cell]; };
  const auto blue = [&](size_t cell) { return cells.rgb[3 * cell + 2]; };
  EXPECT_GT(blue(0), red(0));  // kept before and now
  EXPECT_EQ(red(1), 244);      // dropped
  EXPECT_GT(red(2), blue(2));  // new
  EXPECT_LT(red(7), red(6));   // the larger weight is darker
  EXPECT_EQ(red(8), 255);      // no weight
}

TEST(MaskFigure, ShowsMomentsKeptShareAndEntropy) {
  const std::string svg = masks_svg("title", {{"epoch 1", 1, {layer({1, 1, 0, 0, 0, 0, 1, 1})}},
                                              {"final", 2, {layer({1, 0, 1, 0, 0, 0, 1, 1})}}});
  for (const char* part : {">epoch 1<", ">final<", ">conv2<", ">2 of 2<", ">2:4<", "kept share",
                           "entropy of the mask logits"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace spikenm::report
