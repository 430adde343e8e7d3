#include "spikenm/sparsity/layers.h"

#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

Config method_section(const std::string& toml) {
  return Config::from_text("[method]\n" + toml, "test").section("method");
}

std::vector<MaskableLayer> find(nn::Network& network, const std::string& toml,
                                nm::Axis axis = nm::Axis::kFlat) {
  return find_maskable_layers(network, method_section(toml), axis);
}

std::vector<std::string> names(const std::vector<MaskableLayer>& layers) {
  std::vector<std::string> list;
  for (const MaskableLayer& layer : layers) list.push_back(layer.synapse->name);
  return list;
}

std::vector<std::string> patterns(const std::vector<MaskableLayer>& layers) {
  std::vector<std::string> list;
  for (const MaskableLayer& layer : layers) list.push_back(layer.pattern.text());
  return list;
}

using Names = std::vector<std::string>;

TEST(MaskableLayers, AreAllSynapsesFirstAndLastTooAt2To4) {
  const auto network = test::small_network();
  const auto layers = find(*network, "");
  EXPECT_EQ(names(layers), (Names{"conv1", "conv2", "conv3", "fc1"}));
  EXPECT_EQ(patterns(layers), (Names{"2:4", "2:4", "2:4", "2:4"}));
  for (size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(layers[i].id, i);
    EXPECT_EQ(layers[i].layout.numel, layers[i].synapse->weight.numel());
    EXPECT_EQ(layers[i].layout.n_blocks, layers[i].synapse->weight.numel() / 4);
  }
}

TEST(MaskableLayers, GlobsChooseThem) {
  const auto network = test::small_network();
  EXPECT_EQ(names(find(*network, "layers = [\"conv?\"]")), (Names{"conv1", "conv2", "conv3"}));
  const auto layers = find(*network, "layers = [\"fc*\", \"conv2\"]");
  EXPECT_EQ(names(layers), (Names{"conv2", "fc1"}));  // forward order, not the list's
  EXPECT_EQ(layers[1].id, 1u);
}

TEST(MaskableLayers, ALayerThatMayNotBeMaskedIsLeftOut) {
  const auto network = test::small_network_unmaskable("fc1");
  EXPECT_EQ(names(find(*network, "")), (Names{"conv1", "conv2", "conv3"}));
  EXPECT_ERROR(find(*network, "layers = [\"fc1\"]"), "method.layers", "fc1", "conv1");
}

TEST(MaskableLayers, ALayersOwnPatternOverridesAndTheLastGlobHolds) {
  const auto network = test::small_network();
  const auto layers = find(*network,
                           "pattern = \"1:4\"\n"
                           "layer_pattern.\"conv*\" = \"2:8\"\n"
                           "layer_pattern.\"*3\" = \"2:16\"");
  EXPECT_EQ(patterns(layers), (Names{"2:8", "2:8", "2:16", "1:4"}));
  EXPECT_EQ(layers[2].layout.m, 16);
}

TEST(MaskableLayers, TheAxisAndShareReachTheLayout) {
  const auto network = test::small_network();
  const auto layers = find(*network, "share = 2", nm::Axis::kIn);
  EXPECT_EQ(layers[1].layout.share, 2);
  EXPECT_EQ(layers[1].layout.position_stride, 9);  // conv2 is [16,8,3,3]
  EXPECT_EQ(layers[1].layout.n_blocks, 16 / 2 * 9 * 2);
  EXPECT_EQ(layers[0].layout.n_blocks, 0);  // conv1 has two input channels: all tail
  EXPECT_EQ(layers[0].layout.tail(), 8 * 2 * 9);
}

TEST(MaskableLayers, SharedTapsReachTheLayoutOfEveryKernel) {
  const auto network = test::small_network();
  const auto layers = find(*network, "share = 2\nshare_taps = true", nm::Axis::kIn);
  EXPECT_EQ(layers[1].layout.taps, 9);
  EXPECT_EQ(layers[1].layout.n_blocks, 16 / 2 * 2);  // conv2 is [16,8,3,3]
  EXPECT_EQ(layers[3].layout.taps, 1);               // fc1 has no kernel
  EXPECT_ERROR(find(*network, "share_taps = true"), "conv1", "share_taps", "axis in");
}

TEST(MaskableLayers, AGlobThatMatchesNothingIsAnError) {
  const auto network = test::small_network();
  EXPECT_ERROR(find(*network, "layers = [\"conv*\", \"dense*\"]"), "method.layers", "'dense*'",
               "conv1, conv2, conv3, fc1");
  EXPECT_ERROR(find(*network, "layer_pattern.\"fc9\" = \"2:4\""), "method.layer_pattern", "'fc9'",
               "fc1");
  EXPECT_ERROR(find(*network, "layers = []"), "method.layers", "no layer");
}

TEST(MaskableLayers, ABadPatternNamesItsKeyOrLayer) {
  const auto network = test::small_network();
  EXPECT_ERROR(find(*network, "pattern = \"5:4\""), "method.pattern", "5:4");
  EXPECT_ERROR(find(*network, "pattern = \"half\""), "method.pattern", "'half'", "2:4");
  EXPECT_ERROR(find(*network, "layer_pattern.\"conv2\" = \"3:2\""), "layer_pattern", "conv2",
               "3:2");
  EXPECT_ERROR(find(*network, "layer_pattern.\"conv2\" = 3"), "conv2", "text");
  // conv1 has 18 weights a channel: shared blocks of 4 would cross output channels.
  EXPECT_ERROR(find(*network, "share = 2"), "conv1", "share 2", "axis in");
}

TEST(MaskableLayers, ADensePatternLeavesALayerOut) {
  const auto network = test::small_network();
  const auto layers = find(*network,
                           "layer_pattern.\"conv*\" = \"2:8\"\n"
                           "layer_pattern.\"conv2\" = \"dense\"");
  EXPECT_EQ(names(layers), (Names{"conv1", "conv3", "fc1"}));
  EXPECT_EQ(patterns(layers), (Names{"2:8", "2:8", "2:4"}));
  EXPECT_EQ(layers[1].id, 1u);
  EXPECT_ERROR(find(*network, "layer_pattern.\"*\" = \"dense\""), "method.layer_pattern",
               "every layer dense", "method.name = \"dense\"");
  EXPECT_ERROR(find(*network, "layer_pattern.\"conv2\" = \"none\""), "layer_pattern.conv2",
               "'none'", "2:4");
}

// First and last of the network, whatever `layers` chooses and `layer_pattern` says.
TEST(MaskableLayers, TheFirstAndTheLastMayStayDense) {
  const auto network = test::small_network();
  EXPECT_EQ(names(find(*network, "first_layer = \"dense\"")), (Names{"conv2", "conv3", "fc1"}));
  EXPECT_EQ(names(find(*network, "last_layer = \"dense\"\nlayer_pattern.\"*\" = \"1:4\"")),
            (Names{"conv1", "conv2", "conv3"}));
  EXPECT_EQ(names(find(*network, "first_layer = \"dense\"\nlayers = [\"conv2\", \"conv3\"]")),
            (Names{"conv2", "conv3"}));
  EXPECT_EQ(names(find(*network, "first_layer = \"as-others\"\nlast_layer = \"as-others\"")).size(),
            4u);
  EXPECT_ERROR(find(*network, "first_layer = \"dense\"\nlayers = [\"conv1\"]"), "dense",
               "none is left");
  EXPECT_ERROR(find(*network, "first_layer = \"sparse\""), "method.first_layer", "sparse",
               "as-others");
}

TEST(MaskableLayers, AHeadThatIsNeverMaskedIsTheLastLayerAllTheSame) {
  const auto network = test::small_network_unmaskable("fc1");
  testing::internal::CaptureStderr();
  EXPECT_EQ(names(find(*network, "last_layer = \"dense\"")), (Names{"conv1", "conv2", "conv3"}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "note: method.last_layer: fc1 is never masked, so nothing more is left dense\n");
}

// Weights: conv1 144, conv2 1152, conv3 2304, fc1 160; blocks of 16 fill them all.
TEST(MaskableLayers, AutoSharesABudgetOutOverTheLayers) {
  const auto network = test::small_network();
  const auto kept_share = [](const std::vector<MaskableLayer>& layers) {
    double kept = 0, weights = 0;
    for (const MaskableLayer& l : layers) {
      const auto blocked = static_cast<double>(l.layout.numel - l.layout.tail());
      kept += static_cast<double>(l.layout.tail()) + blocked * l.pattern.n / l.pattern.m;
      weights += static_cast<double>(l.layout.numel);
    }
    return kept / weights;
  };
  const auto layers = find(*network, "pattern = \"auto:0.25\"");
  EXPECT_EQ(names(layers), (Names{"conv1", "conv2", "conv3", "fc1"}));
  EXPECT_NEAR(kept_share(layers), 0.25,
              36.0 / 3760);  // half a step of conv2; conv1 and fc1 are full
  EXPECT_GT(layers[0].pattern.n, layers[2].pattern.n);
  EXPECT_EQ(
      patterns(find(*network, "pattern = \"auto:0.25\"\nauto_rule = \"uniform\"\nauto_m = 8")),
      (Names{"2:8", "2:8", "2:8", "2:8"}));
  // A given layer keeps its pattern, and the others pay for it; sharing changes nothing in it.
  const auto given = find(*network,
                          "pattern = \"auto:0.4\"\nlayer_pattern.\"conv3\" = \"2:4\"\n"
                          "first_layer = \"dense\"\nauto_m = 8\nshare = 2",
                          nm::Axis::kIn);
  EXPECT_EQ(names(given), (Names{"conv2", "conv3", "fc1"}));
  EXPECT_EQ(given[1].pattern.text(), "2:4");
  EXPECT_EQ(given[0].layout.share, 2);
  EXPECT_NEAR(kept_share(given), 0.4, 20.0 / 3616);  // a step of fc1
  // Half of conv3 and a 16th of the rest, 1152 + 91 of 3760, is more than a quarter.
  EXPECT_ERROR(find(*network, "pattern = \"auto:0.25\"\nlayer_pattern.\"conv3\" = \"2:4\""),
               "method.pattern", "0.25", "0.3306 to 0.6936");
  EXPECT_ERROR(find(*network, "pattern = \"auto:2\""), "method.pattern", "found a budget of 2",
               "0.0625 to 1");
}

TEST(MaskFromDraws, KeepsTheDrawnPositionsAndTheTail) {
  const auto network = test::small_network();
  const auto layers = find(*network, "pattern = \"2:16\"");
  const MaskableLayer& conv2 = layers[1];  // 1152 weights: 72 blocks, no tail
  at::Tensor draws = at::zeros({conv2.layout.n_blocks, 2}, at::kByte);
  draws.select(1, 1).fill_(5);
  draws[3].fill_(7);  // one position drawn twice
  const nm::Mask mask = mask_from_draws(conv2, draws);
  for (int64_t i = 0; i < 1152; ++i) {
    const bool kept = i / 16 == 3 ? i % 16 == 7 : i % 16 == 0 || i % 16 == 5;
    ASSERT_EQ(mask.keep[static_cast<size_t>(i)], kept ? 1 : 0) << i;
  }
  const auto in_layers = find(*network, "", nm::Axis::kIn);
  const nm::Mask tail = mask_from_draws(in_layers[0], at::zeros({0, 2}, at::kByte));
  EXPECT_EQ(tail.kept(), 8 * 2 * 9);
}

}  // namespace
}  // namespace spikenm::sparsity
