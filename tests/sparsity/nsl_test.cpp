#include "spikenm/sparsity/channels.h"
#include "support/expect_error.h"
#include "support/small_network.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::floats, test::method_on, test::small_network, test::TinyGraph;

std::vector<float> values(const Tensor& tensor) {
  const Tensor flat = tensor.flatten().to(at::kFloat).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

// conv1 (1 -> 3 channels) and conv2 (3 -> 2), a norm and neurons behind each, and fc (2 -> 1).
std::unique_ptr<nn::Network> two_layers() {
  TinyGraph graph;
  graph.synapse("conv1", at::ones({3, 1, 1, 1}));
  graph.norm("norm1");
  graph.neuron("neuron1");
  graph.synapse("conv2", at::ones({2, 3, 1, 1}));
  graph.norm("norm2");
  graph.neuron("neuron2");
  graph.synapse("fc", at::ones({1, 2, 1, 1}));
  return graph.make();
}

void set_scales(nn::Network& network, const std::vector<std::vector<float>>& scales) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < scales.size(); ++i)
    network.norms()[i].state.gamma.copy_(at::tensor(scales[i]));
}

// By hand: |gamma| is 0.9 0.1 0.5 and 0.2 0.05. Of five channels three are kept: those of 0.9, 0.5
// and, since it is the largest of its layer, 0.2.
TEST(Nsl, KeepsTheLargestScalesOfAllLayers) {
  const auto network = two_layers();
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
  const auto network = two_layers();
  const auto method = method_on(*network, "nsl", "channels = 0.4");
  set_scales(*network, {{0.9F, 0.8F, 0.7F}, {0.1F, 0.2F}});
  const Masks masks = harden_all(*method);
  EXPECT_EQ(values(masks.neurons[0].keep), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(values(masks.neurons[1].keep), (std::vector<float>{0, 1}));
}

// By hand: the first two meet at a sum. Their scores are averaged, and what one keeps both keep.
TEST(Nsl, LayersThatAreAddedUpKeepTheSameChannels) {
  std::vector<ChannelGroup> groups(3);
  groups[2].tie = 2;
  const auto means =
      tied_scores(groups, {at::tensor({1.F, 2.F}), at::tensor({3.F, 0.F}), at::tensor({5.F, 6.F})});
  EXPECT_EQ(values(means[0]), (std::vector<float>{2, 1}));
  EXPECT_EQ(values(means[1]), (std::vector<float>{2, 1}));
  EXPECT_EQ(values(means[2]), (std::vector<float>{5, 6}));
  const KeptChannels kept = tied_channels(
      groups, {at::tensor({1.F, 0.F}), at::tensor({0.F, 0.F}), at::tensor({1.F, 1.F})});
  EXPECT_EQ(values(kept[0]), (std::vector<float>{1, 0}));
  EXPECT_EQ(values(kept[1]), (std::vector<float>{1, 0}));
  EXPECT_EQ(values(kept[2]), (std::vector<float>{1, 1}));
}

TEST(Nsl, PullsEveryScaleTowardsZero) {
  const auto network = two_layers();
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
  const auto network = small_network(/*width=*/32);
  for (nn::Norm& norm : network->norms()) {
    const at::NoGradGuard no_grad;
    norm.state.gamma.normal_();
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
  const auto network = two_layers();
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
