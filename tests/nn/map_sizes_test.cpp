#include "spikenm/nn/map_sizes.h"

#include "spikenm/nn/models/models.h"

#include <gtest/gtest.h>

namespace spikenm::nn {
namespace {

LargestMap largest(const std::string& model, const std::string& keys, ModelSpec spec = {}) {
  spec.shapes_only = true;
  return largest_map(*models().find(model)(spec, Config::from_text(keys, "test")));
}

TEST(LargestMap, IsWhatAConvolutionWritesBeforeItsPool) {
  const LargestMap found = largest("small_conv", "width = 4");
  EXPECT_EQ(found.layer, "conv1");
  EXPECT_EQ(found.values, 4 * 34 * 34);
  const LargestMap deep = largest("vgg", "layers = '4 A 4 A 512 A'");
  EXPECT_EQ(deep.layer, "conv3");
  EXPECT_EQ(deep.values, 512 * 8 * 8);
}

TEST(LargestMap, MayBeTheInput) {
  const LargestMap found = largest("mlp", "hidden = [3]\nvoters = 1");
  EXPECT_EQ(found.layer, "the input");
  EXPECT_EQ(found.values, 2 * 34 * 34);
}

TEST(LargestMap, FollowsStridesAndSums) {
  const LargestMap found = largest("sew_resnet18", "width = 4\nstem = 'imagenet'",
                                   {.channels = 3, .height = 224, .width = 224, .classes = 2});
  EXPECT_EQ(found.layer, "the input");
  EXPECT_EQ(found.values, 3 * 224 * 224);
  EXPECT_EQ(largest("resnet19", "width = 2").values, 4 * 34 * 34);
}

// A network of shapes takes no memory: these weights would be 23 GB.
TEST(LargestMap, OfANetworkThatWouldNotFit) {
  const LargestMap found = largest("vgg", "layers = '20000 20000'");
  EXPECT_EQ(found.values, 20000 * 34 * 34);
}

}  // namespace
}  // namespace spikenm::nn
