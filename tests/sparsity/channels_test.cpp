#include "spikenm/sparsity/channels.h"

#include "support/channel_layers.h"
#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::small_network, test::two_channel_layers, test::values;

std::vector<MaskableLayer> layers_of(nn::Network& network) {
  return find_layers(network, Config(), nm::Mask::Kind::kChannel);
}

std::vector<ChannelGroup> groups_of(nn::Network& network) {
  return find_channel_groups(network, layers_of(network), "layers");
}

// Adds a layer, a norm and neurons behind `input`; returns the neurons' node.
graph::NodeId block(test::TinyGraph& graph, graph::NodeId input, const std::string& name) {
  graph.synapse_of(input, "conv" + name, at::ones({2, input == 0 ? 1 : 2, 1, 1}));
  graph.norm("norm" + name);
  return graph.neuron("neuron" + name);
}

// Which group each is tied to.
std::vector<size_t> ties(nn::Network& network) {
  std::vector<size_t> found;
  for (const ChannelGroup& group : groups_of(network)) found.push_back(group.tie);
  return found;
}

TEST(Channels, AreThoseOfALayerWithANormAndNeuronsBehindIt) {
  const auto network = two_channel_layers();
  const auto groups = groups_of(*network);  // fc has neither
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].synapse, &network->synapses()[0]);
  EXPECT_EQ(groups[1].norm, &network->norms()[1]);
  EXPECT_EQ(groups[1].neuron, &network->neurons()[1]);
  EXPECT_EQ(groups[0].channels(), 3);
  EXPECT_EQ(groups[1].channels(), 2);
  EXPECT_EQ(ties(*network), (std::vector<size_t>{0, 1}));
}

// a and b meet at one sum, that sum and c at another: all three are tied, d is not.
TEST(Channels, OfNeuronsThatAreAddedUpAreTied) {
  test::TinyGraph graph;
  const auto a = block(graph, 0, "a"), b = block(graph, a, "b"), ab = graph.sum({a, b});
  const auto c = block(graph, ab, "c"), abc = graph.sum({ab, c});
  block(graph, abc, "d");
  EXPECT_EQ(ties(*graph.make()), (std::vector<size_t>{0, 0, 0, 3}));
}

// Neurons without a norm are in no group: all of their channels stay, whatever b keeps.
TEST(Channels, ThatMeetNeuronsOutsideAllGroupsAreNotTied) {
  test::TinyGraph graph;
  graph.synapse("plain", at::ones({2, 1, 1, 1}));
  const auto plain = graph.neuron("neurons");
  const auto a = block(graph, plain, "a"), b = block(graph, a, "b");
  graph.sum({plain, a, b});
  graph.synapse("fc", at::ones({1, 2, 1, 1}));
  EXPECT_EQ(ties(*graph.make()), (std::vector<size_t>{0, 1}));
}

// By their spikes classes are told apart: none may fall silent.
TEST(Channels, OfNeuronsThatVoteForClassesAreNone) {
  test::TinyGraph graph;
  const auto a = block(graph, 0, "a");
  block(graph, a, "b");
  graph.flatten();
  graph.vote(2);
  const auto network = graph.make();
  const auto groups = groups_of(*network);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].synapse, &network->synapses()[0]);
}

// By hand: the first two meet at a sum. Their scores are averaged, and what one keeps both keep.
TEST(Channels, ThatAreTiedShareTheMeanScoreAndAreKeptTogether) {
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

// By hand: conv1 keeps 2 of 3 weights, conv2 2 x 1 of 6, fc 1 of 2.
TEST(Channels, LeaveTheWeightsBetweenKeptOnes) {
  const auto network = two_channel_layers();
  const auto layers = layers_of(*network);
  const auto groups = groups_of(*network);
  const KeptChannels kept{at::tensor({1.F, 0.F, 1.F}), at::tensor({0.F, 1.F})};
  const auto mask = [&](size_t i) {
    return channel_mask(network->graph(), layers[i], groups, kept).keep;
  };
  EXPECT_EQ(mask(0), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(mask(1), (std::vector<uint8_t>{0, 0, 0, 1, 0, 1}));
  EXPECT_EQ(mask(2), (std::vector<uint8_t>{0, 1}));
  EXPECT_DOUBLE_EQ(weight_share(network->graph(), layers, groups, kept), 5.0 / 11);
}

TEST(Channels, AreDroppedAtTheInputOfASumOnlyIfAllOfItsNeuronsDropThem) {
  test::TinyGraph graph;
  const auto a = block(graph, 0, "a"), b = block(graph, a, "b");
  graph.sum({a, b});
  graph.synapse("fc", at::ones({1, 2, 1, 1}));
  const auto network = graph.make();
  const auto groups = groups_of(*network);
  const auto fc = layers_of(*network).back();
  const auto mask = [&](const KeptChannels& kept) {
    return channel_mask(network->graph(), fc, groups, kept).keep;
  };
  EXPECT_EQ(mask({at::tensor({1.F, 0.F}), at::tensor({0.F, 0.F})}), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(mask({at::tensor({1.F, 0.F}), at::tensor({0.F, 1.F})}), (std::vector<uint8_t>{1, 1}));
}

TEST(Channels, SilenceEveryPlaceOfTheirNeurons) {
  ChannelGroup group;
  group.shape = {2, 1, 3};
  EXPECT_EQ(values(neuron_mask(group, at::tensor({0.F, 1.F}))),
            (std::vector<float>{0, 0, 0, 1, 1, 1}));
}

TEST(Channels, TheLargestAreKeptOverAllGroupsAndOneOfEach) {
  const std::vector<at::Tensor> scores{at::tensor({0.9F, 0.8F, 0.7F}), at::tensor({0.1F, 0.2F})};
  const auto kept = [&](int64_t n) {
    const KeptChannels found = largest_channels(scores, n);
    return std::pair{values(found[0]), values(found[1])};
  };
  using Pair = std::pair<std::vector<float>, std::vector<float>>;
  EXPECT_EQ(kept(2), (Pair{{1, 0, 0}, {0, 1}}));
  EXPECT_EQ(kept(3), (Pair{{1, 1, 0}, {0, 1}}));
  EXPECT_EQ(kept(5), (Pair{{1, 1, 1}, {1, 1}}));
}

TEST(Channels, ABudgetBelowOneForEachLayerIsRefused) {
  const auto network = two_channel_layers();
  const auto groups = groups_of(*network);
  EXPECT_EQ(channel_budget(groups, 0.4, "channels"), 2);
  EXPECT_EQ(channel_budget(groups, 1, "channels"), 5);
  EXPECT_ERROR(channel_budget(groups, 0.2, "channels"), "channels", "1 of 5 channels",
               "2 layers to zero", "0.4");
}

TEST(Channels, ANetworkWithoutAnyIsRefused) {
  test::TinyGraph graph;
  graph.synapse("fc", at::ones({1, 1, 1, 1}));
  const auto network = graph.make();
  EXPECT_ERROR(groups_of(*network), "layers", "norm and neurons");
}

}  // namespace
}  // namespace spikenm::sparsity
