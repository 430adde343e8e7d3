#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {
namespace {

using test::kept_in_block, test::method_on, test::small_network;

float magnitude_at(const Tensor& weight, int64_t element) {
  return std::abs(weight.const_data_ptr<float>()[element]);
}

TEST(Magnitude, KeepsTheNLargestOfEveryBlock) {
  const auto network = small_network();
  for (const char* axis : {"flat", "in"}) {
    const auto method =
        method_on(*network, "magnitude", std::string("pattern = \"3:8\"\naxis = \"") + axis + "\"");
    for (const MaskableLayer& layer : method->layers()) {
      const nm::Mask mask = method->harden(layer.id);
      for (int64_t b = 0; b < mask.layout.n_blocks; ++b) {
        EXPECT_EQ(kept_in_block(mask, b), 3);
        float least_kept = INFINITY, most_dropped = 0;
        for (int32_t s = 0; s < 8; ++s) {
          const int64_t at = mask.layout.start(b) + s * mask.layout.position_stride;
          const float size = magnitude_at(layer.synapse->weight, at);
          if (mask.keep[static_cast<size_t>(at)] != 0)
            least_kept = std::min(least_kept, size);
          else
            most_dropped = std::max(most_dropped, size);
        }
        EXPECT_GE(least_kept, most_dropped) << axis << " " << layer.synapse->name << " " << b;
      }
    }
  }
}

TEST(Magnitude, TrainsDenseUntilPrune) {
  const auto network = small_network();
  const auto method = method_on(*network, "magnitude", "");
  test::search_step(*network, *method);
  const Tensor& weight = network->synapses()[1].weight;
  EXPECT_TRUE(at::equal(method->effective_weight(1, weight), weight));
  const Tensor dropped = 1 - harden_all(*method).weights[1].keep;
  EXPECT_GT((weight.grad() * dropped).abs().max().item<float>(), 0);
}

TEST(Magnitude, FollowsTheWeightsAsTheyChange) {
  const auto network = small_network();
  const auto method = method_on(*network, "magnitude", "axis = \"flat\"\npattern = \"1:4\"");
  Tensor weight = network->synapses()[1].weight.detach();  // shares the memory
  weight.fill_(0.1f);
  weight.flatten()[6] = -0.5f;
  const nm::Mask mask = method->harden(1);
  EXPECT_EQ((std::vector<uint8_t>(mask.keep.begin(), mask.keep.begin() + 12)),
            (std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0}));  // ties to the lowest
}

TEST(Magnitude, ABlockOfZerosStillKeepsN) {
  const auto network = small_network();
  const auto method = method_on(*network, "magnitude", "axis = \"flat\"");
  network->synapses()[1].weight.detach().zero_();
  const nm::Mask mask = method->harden(1);
  for (int64_t b = 0; b < mask.layout.n_blocks; ++b) ASSERT_EQ(kept_in_block(mask, b), 2);
}

TEST(Magnitude, ABadAxisIsRefused) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "magnitude", "axis = \"up\""), "axis", "up");
}

}  // namespace
}  // namespace spikenm::sparsity
