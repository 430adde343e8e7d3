#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::hardened, test::method_on, test::search_step, test::small_network;

TEST(SrSte, UsesTheNLargestOfEveryStep) {
  const auto network = small_network();
  const auto method = method_on(*network, "sr-ste", "axis = \"flat\"\npattern = \"1:4\"");
  Tensor weight = network->synapses()[1].weight.detach().flatten();  // shares the memory
  const auto first_block = [&] {
    method->begin_step({1, 10});
    const Tensor used = method->effective_weight(1, network->synapses()[1].weight).detach();
    const float* const values = used.const_data_ptr<float>();
    return std::vector<float>(values, values + 4);
  };
  weight.narrow(0, 0, 4).copy_(at::tensor(std::vector<float>{0.1f, -0.4f, 0.3f, 0.4f}));
  EXPECT_EQ(first_block(), (std::vector<float>{0, -0.4f, 0, 0}));  // ties to the lowest
  weight[2] = 0.7f;
  EXPECT_EQ(first_block(), (std::vector<float>{0, 0, 0.7f, 0}));
}

TEST(SrSte, WouldFreezeWhatMagnitudeWould) {
  const auto network = small_network();
  const auto method = method_on(*network, "sr-ste", "pattern = \"2:8\""),
             magnitude = method_on(*network, "magnitude", "pattern = \"2:8\"");
  Tensor weight = network->synapses()[2].weight.detach();
  weight.copy_(weight.roll(3));  // no step has been made since
  EXPECT_EQ(hardened(*method), hardened(*magnitude));
}

TEST(SrSte, TheGradientReachesEveryWeightUnscaled) {
  const auto network = small_network();
  const auto method = method_on(*network, "sr-ste", "");
  const Tensor& weight = network->synapses()[2].weight;
  const Tensor slope = at::arange(weight.numel(), at::kFloat).view_as(weight);
  (method->effective_weight(2, weight) * slope).sum().backward();
  EXPECT_TRUE(at::equal(weight.grad(), slope));
}

TEST(SrSte, TheDecayActsOnWeightsOutOfTheMaskAlone) {
  const auto gradient = [](const std::string& decay) {
    const auto network = small_network();
    const auto method = method_on(*network, "sr-ste", "decay = " + decay);
    search_step(*network, *method);
    return network->synapses()[2].weight.grad().clone();
  };
  const auto network = small_network();
  const auto method = method_on(*network, "sr-ste", "");
  const Tensor dropped = 1 - harden_all(*method).weights[2].keep;
  const Tensor wanted = 0.5 * dropped * network->synapses()[2].weight.detach();
  EXPECT_LT((gradient("0.5") - gradient("0") - wanted).abs().max().item<float>(), 1e-6);
  EXPECT_GT(wanted.abs().max().item<float>(), 0.05);
}

TEST(SrSte, BadOptionsAreRefused) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "sr-ste", "decay = -1"), "decay", "-1");
}

}  // namespace
}  // namespace spikenm::sparsity
