#include "spikenm/sparsity/positions.h"

#include "support/small_network.h"
#include "support/tensors.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using Positions = std::vector<uint8_t>;

// A layer of one kernel tap with the given weights, two output channels of eight.
struct OneLayer {
  nn::Synapse synapse;
  MaskableLayer layer;

  OneLayer(const std::vector<float>& weights, const nm::NmPattern& pattern) {
    synapse.weight = at::tensor(weights).view({2, 8, 1, 1}).set_requires_grad(true);
    layer = {.id = 0,
             .synapse = &synapse,
             .pattern = pattern,
             .layout = nm::make_layout(synapse.shape(), pattern, nm::Axis::kIn, "test")};
  }
};

const std::vector<float> kWeights{0.1f, -0.9f, 0.5f, 0.5f, 0, 0, 0, 0, 3, 2, -1, 0, 1, 2, 3, -4};

TEST(LargestPositions, ComeLargestFirstAndTiesLowestFirst) {
  const OneLayer one(kWeights, {.n = 2, .m = 4});
  EXPECT_EQ(test::values_of<uint8_t>(largest_positions(one.layer, 3)),
            (Positions{1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(test::values_of<uint8_t>(largest_positions(one.layer, 1)), (Positions{1, 0, 0, 3}));
}

TEST(LargestPositions, AddTheSizesOfChannelsThatShare) {
  const OneLayer one(kWeights, {.n = 2, .m = 4, .share = 2});
  // |w| of both channels: 3.1 2.9 1.5 0.5 and 1 2 3 4.
  EXPECT_EQ(test::values_of<uint8_t>(largest_positions(one.layer, 2)), (Positions{0, 1, 3, 2}));
}

TEST(LargestPositions, TellWeightsApartThatDifferInTheLastBit) {
  std::vector<float> weights(16, 0.1f);
  weights[3] = std::nextafter(0.1f, 1.0f);
  const OneLayer one(weights, {.n = 1, .m = 4});
  EXPECT_EQ(test::values_of<uint8_t>(largest_positions(one.layer, 1)), (Positions{3, 0, 0, 0}));
}

TEST(RandomPositions, AreDistinctWithoutReplacementAndTheirSeeds) {
  const OneLayer one(kWeights, {.n = 4, .m = 4});
  const auto exact = test::values_of<uint8_t>(random_positions(one.layer, false, 3));
  for (size_t b = 0; b < 4; ++b) {
    int bits = 0;
    for (size_t k = 0; k < 4; ++k) bits |= 1 << exact[4 * b + k];
    EXPECT_EQ(bits, 0b1111);
  }
  EXPECT_EQ(test::values_of<uint8_t>(random_positions(one.layer, false, 3)), exact);
  EXPECT_NE(test::values_of<uint8_t>(random_positions(one.layer, false, 4)), exact);
}

}  // namespace
}  // namespace spikenm::sparsity
