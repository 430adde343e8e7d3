#include "spikenm/sparsity/channels.h"
#include "support/channel_layers.h"
#include "support/expect_error.h"
#include "support/small_network.h"
#include "support/tensors.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::small_network, test::two_channel_layers, test::values;

void set_scales(nn::Network& network, const std::vector<std::vector<float>>& scales) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < scales.size(); ++i)
    network.norms()[i].state.gamma.copy_(at::tensor(scales[i]));
}

// By hand: |gamma| is 0.9 0.1 0.5 and 0.2 0.05. Of five channels three are kept: those of 0.9, 0.5
// and, since it is the largest of its layer, 0.2.
TEST(Nsl, KeepsTheLargestScalesOfAllLayers) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "nsl", "channels = 0.6");
  set_scales(*network, {{-0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}});
  const Masks masks = harden_all(*method);
  ASSERT_EQ(masks.weights.size(), 3u);
  EXPECT_EQ(values(masks.weights[0].keep), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(masks.weights[1].keep), (std::vector<float>{1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(values(masks.weights[2].keep), (std::vector<float>{1, 0}));
  ASSERT_EQ(masks.neurons.size(), 2u);
  EXPECT_EQ(values(masks.neurons[0].keep), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(masks.neurons[1].keep), (std::vector<float>{1, 0}));
}

TEST(Nsl, EveryLayerKeepsItsLargestChannel) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "nsl", "channels = 0.4");
  set_scales(*network, {{0.9F, 0.8F, 0.7F}, {0.1F, 0.2F}});
  const Masks masks = harden_all(*method);
  EXPECT_EQ(values(masks.neurons[0].keep), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(values(masks.neurons[1].keep), (std::vector<float>{0, 1}));
}

TEST(Nsl, PullsEveryScaleTowardsZero) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "nsl", "penalty = 0.25");
  set_scales(*network, {{-0.9F, 0, 0.5F}, {0.2F, -0.1F}});
  for (nn::Norm& norm : network->norms())
    norm.state.gamma.mutable_grad() = at::full_like(norm.state.gamma, 2);
  method->after_backward({});
  EXPECT_EQ(values(network->norms()[0].state.gamma.grad()), (std::vector<float>{1.75F, 2, 2.25F}));
  EXPECT_EQ(values(network->norms()[1].state.gamma.grad()), (std::vector<float>{2.25F, 1.75F}));
}

// A flat input has all places of a channel one after another.
TEST(Nsl, DropsTheInputsOfALinearLayerByChannel) {
  const auto network = small_network();
  const auto method = method_on(*network, "nsl", "channels = 0.5\nlayers = [\"conv3\", \"fc1\"]");
  const Masks masks = harden_all(*method);
  ASSERT_EQ(masks.weights.size(), 2u);
  const Tensor channels = masks.neurons[0].keep.flatten(1).amax(1);  // [C]
  const Tensor fc = masks.weights[1].keep.select(0, 0).flatten().view({channels.size(0), -1});
  EXPECT_TRUE(at::equal(fc.amin(1), channels));
  EXPECT_TRUE(at::equal(fc.amax(1), channels));
  EXPECT_EQ(channels.sum().item<double>(), static_cast<double>(channels.size(0)) / 2);
}

// On a wide network a channel is little: the share is met, and no other number of channels is nearer.
TEST(Nsl, FindsTheChannelsThatLeaveTheTarget) {
  const auto network = small_network(/*width=*/64);
  uint32_t stream = 0;
  for (nn::Norm& norm : network->norms()) {
    const at::NoGradGuard no_grad;
    norm.state.gamma.copy_(test::normal_tensor(norm.state.gamma.sizes(), at::kFloat, stream++));
  }
  const auto share_of = [&](const std::string& keys) {
    double kept = 0, all = 0;
    for (const LayerMask& m : harden_all(*method_on(*network, "nsl", keys)).weights) {
      kept += static_cast<double>(m.mask.kept());
      all += static_cast<double>(m.mask.keep.size());
    }
    return kept / all;
  };
  for (const double target : {0.5, 0.125}) {
    const double found = share_of(fmt::format("target_weight = {}", target));
    EXPECT_NEAR(found, target, 0.02 * target);
    for (int channels = 5; channels <= 100; channels += 5)
      EXPECT_LE(
          std::abs(found - target),
          std::abs(share_of(fmt::format("channels = {}", channels / 100.0)) - target) + 1e-12);
  }
}

TEST(Nsl, ATargetLeavesChannelsWithoutEffect) {
  const auto network = small_network();
  const Config config = Config::from_text("target_weight = 0.5\nchannels = 0.4", "test");
  (void)make_method("nsl", *network, config, 0);
  EXPECT_ERROR(config.reject_unread(), "channels", "target_weight");
}

TEST(Nsl, RefusesABudgetThatCutsALayerToZero) {
  const auto network = two_channel_layers();
  EXPECT_ERROR(method_on(*network, "nsl", "channels = 0.2"), "channels", "1 of 5 channels",
               "2 layers to zero", "0.4");
  // One channel of each layer leaves 1 + 1 + 1 of 3 + 6 + 2 weights.
  EXPECT_ERROR(method_on(*network, "nsl", "target_weight = 0.2"), "target_weight", "0.2", "0.273");
  EXPECT_ERROR(method_on(*network, "nsl", "layers = [\"fc\"]"), "layers", "norm and neurons");
}

TEST(Nsl, MasksNeuronsItselfSoNoOtherMethodMay) {
  const auto network = small_network();
  EXPECT_ERROR(method_on(*network, "nsl", "granularity = \"weight+neuron\""), "granularity",
               "already masks neurons");
}

}  // namespace
}  // namespace spikenm::sparsity
