#include "spikenm/sparsity/channels.h"
#include "support/channel_layers.h"
#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

#include <limits>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::two_channel_layers, test::values;

const ClearMoments kNoMoments = [](const Tensor&, const Tensor&) {};
const StepInfo kEpochEnd{.ends_epoch = true};

void set(Pruning& method, nn::Network& network, const std::vector<std::vector<float>>& activity,
         const std::vector<std::vector<float>>& gradients) {
  for (size_t g = 0; g < activity.size(); ++g) {
    method.activity(g).copy_(at::tensor(activity[g]));
    network.norms()[g].state.gamma.mutable_grad() = at::tensor(gradients[g]);
  }
}

// By hand: of five channels four are kept, three by activity (0.9, 0.5 and 0.2, the largest of its
// layer) and one by gradient: of 0.3 and -0.7 the latter is larger.
TEST(Sca, KeepsTheMostActiveChannelsAndRegrowsByGradient) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\nregrow = 0.25");
  set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{9, 0.3F, 9}, {9, -0.7F}});
  method->after_step(kEpochEnd, kNoMoments);

  const Masks masks = harden_all(*method);
  EXPECT_EQ(values(masks.weights[0].keep), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(masks.weights[1].keep), (std::vector<float>{1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(values(masks.weights[2].keep), (std::vector<float>{1, 1}));
  EXPECT_EQ(values(masks.neurons[0].keep), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(masks.neurons[1].keep), (std::vector<float>{1, 1}));

  // The dropped channel is silenced, its readers are left alone, and the sums begin anew.
  EXPECT_EQ(values(network->synapses()[0].weight), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(network->norms()[0].state.gamma), (std::vector<float>{1, 0, 1}));
  EXPECT_EQ(values(network->synapses()[1].weight), (std::vector<float>(6, 1)));
  EXPECT_EQ(values(method->activity(0)), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(method->take_statistics().at("changed_channels"), 1);
}

TEST(Sca, ChoosesNothingWithinAnEpoch) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\nregrow = 0.25");
  set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{0, 0, 0}, {0, 0}});
  method->after_step({}, kNoMoments);
  EXPECT_EQ(values(method->activity(0)), (std::vector<float>{0.9F, 0.1F, 0.5F}));
  EXPECT_EQ(values(network->synapses()[0].weight), (std::vector<float>(3, 1)));
  EXPECT_EQ(values(harden_all(*method).neurons[0].keep), (std::vector<float>(3, 1)));
}

// Gradients that overflowed say nothing: the channel of 0.1 comes before that of 0.05.
TEST(Sca, RegrowsByActivityIfTheLastGradientsOverflowed) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\nregrow = 0.25");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{nan, nan, nan}, {nan, nan}});
  method->after_backward(
      {.ends_epoch = true, .scaling = {.inverse = {}, .overflow = at::ones({1})}});
  method->after_step(kEpochEnd, kNoMoments);
  EXPECT_EQ(values(harden_all(*method).neurons[0].keep), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(values(harden_all(*method).neurons[1].keep), (std::vector<float>{1, 0}));
}

// By hand, of 3 + 6 + 2 weights: two channels (none by gradient, since each layer keeps its most active one) leave
// 1 + 1 + 1, three (one by gradient) leave 2 + 2 + 1, four leave 2 + 4 + 2. Of 0.6 the last is nearest.
TEST(Sca, FindsTheChannelsThatLeaveTheTarget) {
  struct Case {
    double target;
    std::vector<float> first, second;
  };
  for (const Case& c : {Case{0.273, {1, 0, 0}, {1, 0}}, Case{0.36, {1, 0, 0}, {1, 0}},
                        Case{0.37, {1, 0, 1}, {1, 0}}, Case{0.5, {1, 0, 1}, {1, 0}},
                        Case{0.6, {1, 0, 1}, {1, 1}}, Case{1, {1, 1, 1}, {1, 1}}}) {
    SCOPED_TRACE(c.target);
    const auto network = two_channel_layers();
    const auto method =
        method_on(*network, "sca", fmt::format("target_weight = {}\nregrow = 0.25", c.target));
    set(*method, *network, {{0.9F, 0.1F, 0.5F}, {0.2F, 0.05F}}, {{9, 0.3F, 9}, {9, -0.7F}});
    method->after_step(kEpochEnd, kNoMoments);
    EXPECT_EQ(values(harden_all(*method).neurons[0].keep), c.first);
    EXPECT_EQ(values(harden_all(*method).neurons[1].keep), c.second);
  }
}

// By hand: two layers that are added up have the mean activities 0.35 0.5 0.2, so both keep the second
// channel, and of the rest the mean gradients 0.25 and 0.3 choose the third. Each alone would differ.
TEST(Sca, LayersThatAreAddedUpKeepTheSameChannels) {
  test::TinyGraph graph;
  graph.synapse("conv1", at::ones({3, 1, 1, 1}));
  graph.norm("norm1");
  const auto first = graph.neuron("neuron1");
  graph.synapse("conv2", at::ones({3, 3, 1, 1}));
  graph.norm("norm2");
  const auto second = graph.neuron("neuron2");
  graph.sum({first, second});
  graph.synapse("fc", at::ones({1, 3, 1, 1}));
  const auto network = graph.make();
  const auto method = method_on(*network, "sca", "channels = 0.667\nregrow = 0.5");
  set(*method, *network, {{0.6F, 0.1F, 0.2F}, {0.1F, 0.9F, 0.2F}},
      {{0.1F, 9, 0.5F}, {0.4F, 9, 0.1F}});
  method->after_step(kEpochEnd, kNoMoments);
  const Masks masks = harden_all(*method);
  for (const NeuronMask& mask : masks.neurons)
    EXPECT_EQ(values(mask.keep), (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(values(masks.weights[2].keep), (std::vector<float>{0, 1, 1}));
}

// In finetune the pull goes on, and nothing is chosen.
TEST(Sca, PullsItsWeightsInFinetuneToo) {
  const auto network = two_channel_layers();
  const auto method = method_on(*network, "sca", "channels = 0.8\npenalty = 0.25");
  ASSERT_EQ(method->acting_in_finetune(), method->all());
  const Tensor& weight = network->synapses()[0].weight;
  weight.mutable_grad() = at::full_like(weight, 2);
  method->after_backward({.ends_epoch = true, .is_frozen = true});
  EXPECT_EQ(values(weight.grad()), (std::vector<float>(3, 2.25F)));
  EXPECT_EQ(values(weight), (std::vector<float>(3, 1)));
  EXPECT_TRUE(method->take_statistics().empty());
  EXPECT_TRUE(method_on(*network, "sca", "penalty = 0")->acting_in_finetune().empty());
}

TEST(Sca, RefusesABudgetThatCutsALayerToZero) {
  const auto network = two_channel_layers();
  EXPECT_ERROR(method_on(*network, "sca", "channels = 0.2"), "channels", "1 of 5 channels",
               "2 layers to zero", "0.4");
  EXPECT_ERROR(method_on(*network, "sca", "channels = 0.6\nregrow = 0.8"), "regrow",
               "1 of 3 kept channels", "2 layers");
  // Whatever regrows, a target is refused only below what one channel a layer leaves.
  for (const char* regrow : {"", "\nregrow = 0.5"})
    EXPECT_ERROR(method_on(*network, "sca", std::string("target_weight = 0.27") + regrow),
                 "target_weight", "0.27", "cut a layer to zero", "0.273");
  EXPECT_ERROR(method_on(*network, "sca", "target_weight = 0.6\nregrow = 0.8"), "regrow",
               "1 of 5 kept channels", "2 layers");
  EXPECT_ERROR(method_on(*network, "sca", "layers = [\"fc\"]"), "layers", "norm and neurons");
}

}  // namespace
}  // namespace spikenm::sparsity
