#include "spikenm/report/mask_figure.h"

#include "spikenm/nm/mask.h"

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

TEST(MaskFigure, ShowsMomentsKeptShareAndEntropy) {
  const std::string svg = masks_svg("title", {{"epoch 1", 1, {layer({1, 1, 0, 0, 0, 0, 1, 1})}},
                                              {"final", 2, {layer({1, 0, 1, 0, 0, 0, 1, 1})}}});
  for (const char* part : {">epoch 1<", ">final<", ">conv2<", ">2 of 2<", ">2:4<", "kept share",
                           "entropy of the mask logits"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

// Six channels: a block of four, and two weights that are in none.
TEST(MaskFigure, SaysThatTailsCountAsKept) {
  const std::string note = "(tails) stay, and count as kept";
  LayerMask mask = layer({1, 1, 0, 0, 0, 0, 1, 1});
  EXPECT_EQ(masks_svg("title", {{"final", 2, {mask}}}).find(note), std::string::npos);
  mask.keep.resize(6);
  mask.magnitude.resize(6);
  mask.layout = nm::make_layout({1, 6, 1, 1}, nm::NmPattern::parse("2:4", "x"), nm::Axis::kIn, "x");
  EXPECT_NE(masks_svg("title", {{"final", 2, {mask}}}).find(note), std::string::npos);
  mask.pattern = "unstructured";
  mask.layout = nm::no_blocks({1, 6, 1, 1});
  EXPECT_EQ(masks_svg("title", {{"final", 2, {mask}}}).find(note), std::string::npos);
}

// Two channels, and blocks of four: all weights are tails.
TEST(MaskFigure, ALayerThatIsTooSmallForABlockSaysSo) {
  LayerMask mask = layer({1, 1, 1, 1, 1, 1, 1, 1});
  mask.layout = nm::make_layout({4, 2, 1, 1}, nm::NmPattern::parse("2:4", "x"), nm::Axis::kIn, "x");
  const std::string svg = masks_svg("title", {{"final", 2, {mask}}});
  for (const char* part : {">conv2<", ">no whole block<", ">8 of 8 weights<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find(">2:4<"), std::string::npos);
  mask.pattern = "auto:0.25";  // the run has yet to say which pattern each layer has
  mask.layout = nm::no_blocks({4, 2, 1, 1});
  EXPECT_NE(masks_svg("title", {{"final", 2, {mask}}}).find(">auto:0.25<"), std::string::npos);
}

TEST(MaskFigure, AMaskWithoutBlocksIsShownByOutputChannel) {
  LayerMask mask = layer({1, 0, 0, 0, 0, 0, 1, 1});
  mask.pattern = "unstructured";
  mask.layout = nm::no_blocks({2, 4, 1, 1});
  const std::string svg = masks_svg("title", {{"final", 2, {mask}}});
  for (const char* part : {">conv2<", ">unstructured<", ">8 of 8 weights<", "data:image/png"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace spikenm::report
