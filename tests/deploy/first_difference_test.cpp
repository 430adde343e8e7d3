#include "spikenm/deploy/first_difference.h"

#include "spikenm/graph/graph_toml.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

namespace spikenm::deploy {
namespace {

// One neuron with weights 0.5 and 0.25 reads two inputs that are 1 at all three steps: its current
// is 0.75, and with a leak of a half its membrane is 0.375, 0.5625, 0.65625 unless it fires. A second
// neuron reads its spikes with weight 3.
class FirstDifference : public testing::Test {
 protected:
  FirstDifference()
      : network(
            graph::from_toml("format = \"spikenm-graph\"\nversion = 1\nname = \"two\"\n"
                             "frame = [2, 1, 1]\nclasses = [\"only\"]\n"
                             "[[node]]\nname = \"row\"\nop = \"flatten\"\ninputs = [\"input\"]\n"
                             "[[node]]\nname = \"fc1\"\nop = \"synapse\"\ninputs = [\"row\"]\n"
                             "out = 1\n"
                             "[[node]]\nname = \"n1\"\nop = \"neuron\"\ninputs = [\"fc1\"]\n"
                             "threshold = 0.6\n"
                             "[[node]]\nname = \"fc2\"\nop = \"synapse\"\ninputs = [\"n1\"]\n"
                             "out = 1\n"
                             "[[node]]\nname = \"n2\"\nop = \"neuron\"\ninputs = [\"fc2\"]\n",
                             "test")),
        first(*network.graph().find("n1")),
        second(*network.graph().find("n2")) {
    const at::NoGradGuard no_grad;
    network.synapses()[0].weight.copy_(at::tensor({0.5f, 0.25f}).view({1, 2, 1, 1}));
    network.synapses()[1].weight.fill_(3);
    trained[first] = at::tensor({0.0f, 0.0f, 1.0f}).view({3, 1});
    trained[second] = at::tensor({0.0f, 0.0f, 1.0f}).view({3, 1});
  }

  std::optional<Difference> found(const std::vector<float>& one, const std::vector<float>& two) {
    const at::NoGradGuard no_grad;
    return first_difference(network, at::ones({3, 1, 2, 1, 1}), trained,
                            {{first, one}, {second, two}});
  }

  nn::Network network;
  graph::NodeId first, second;
  TrainedSpikes trained;
};

TEST_F(FirstDifference, IsNoneWhereAllSpikesAreEqual) {
  EXPECT_FALSE(found({0, 0, 1}, {0, 0, 1}).has_value());
}

TEST_F(FirstDifference, HasTheMembranesDistanceFromItsThreshold) {
  const auto late = found({0, 0, 0}, {0, 0, 0});
  EXPECT_EQ(late->neurons, first);
  EXPECT_EQ(late->step, 2);
  EXPECT_NEAR(late->distance, 0.05625, 1e-12);
  const auto early = found({0, 1, 0}, {0, 1, 0});
  EXPECT_EQ(early->step, 1);
  EXPECT_NEAR(early->distance, 0.0375, 1e-12);
}

TEST_F(FirstDifference, IsLookedForInForwardOrder) {
  const auto behind = found({0, 0, 1}, {1, 0, 1});
  EXPECT_EQ(behind->neurons, second);
  EXPECT_EQ(behind->step, 0);
  EXPECT_NEAR(behind->distance, 1, 1e-12);  // nothing reached it yet
}

}  // namespace
}  // namespace spikenm::deploy
