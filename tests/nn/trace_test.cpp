#include "spikenm/nn/trace.h"

#include "spikenm/nn/models/models.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace spikenm::nn {
namespace {

using test::TinyNetwork;
using Names = std::vector<std::string>;
using Shape = std::vector<int64_t>;

std::unique_ptr<Network> build(const std::string& name, const std::string& lines,
                               const ModelSpec& spec) {
  return models().find(name)(spec, Config::from_text(lines, "test"));
}

Names readers(const NeuronTrace& neurons) {
  Names names;
  for (const Synapse* synapse : neurons.readers) names.push_back(synapse->name);
  return names;
}

const NeuronTrace& of(const NetworkTrace& found, const std::string& suffix) {
  for (const NeuronTrace& n : found.neurons) {
    if (n.neuron->name.ends_with(suffix)) return n;
  }
  throw std::runtime_error("no neurons " + suffix);
}

void expect_sizes(const SynapseTrace& s, const Shape& in, const Shape& out) {
  EXPECT_EQ((Shape{s.in_height, s.in_width}), in) << s.synapse->name;
  EXPECT_EQ((Shape{s.out_height, s.out_width}), out) << s.synapse->name;
}

// 18x17 -> 9x8 -> 4x4 -> 2x2, average pools in between.
TEST(Trace, FindsSizesAndReadersOfAChainThroughItsPools) {
  const auto network = build("small_conv", "width = 3\nvoters = 2",
                             {.channels = 2, .height = 18, .width = 17, .classes = 5});
  const NetworkTrace found = trace(*network);
  ASSERT_EQ(found.synapses.size(), 4u);
  expect_sizes(found.synapses[0], {18, 17}, {18, 17});
  expect_sizes(found.synapses[1], {9, 8}, {9, 8});
  expect_sizes(found.synapses[2], {4, 4}, {4, 4});
  expect_sizes(found.synapses[3], {1, 1}, {1, 1});
  ASSERT_EQ(found.neurons.size(), 3u);
  EXPECT_EQ(found.neurons[0].shape, (Shape{3, 18, 17}));
  EXPECT_EQ(found.neurons[1].shape, (Shape{6, 9, 8}));
  EXPECT_EQ(found.neurons[2].shape, (Shape{6, 4, 4}));
  EXPECT_EQ(readers(found.neurons[0]), (Names{"conv2"}));
  EXPECT_EQ(readers(found.neurons[1]), (Names{"conv3"}));
  EXPECT_EQ(readers(found.neurons[2]), (Names{"fc1"}));
  EXPECT_EQ(found.neurons[0].neuron, &network->neurons()[0]);
}

// stem -> n0; a (stride 2) -> n1 -> b -> n2; shortcut of n0 -> n3; y = n2 + n3 -> c -> n4;
// d reads y + n4, and y a second time inside y + y.
TEST(Trace, FollowsSpikesThroughResidualSumsAndListsAReaderOnce) {
  TinyNetwork network;
  network.set_frame(1, 6, 6);
  const auto add = [&](const char* name, int64_t kernel, int64_t stride) {
    network.add_synapse(name, at::zeros({2, name == std::string("stem") ? 1 : 2, kernel, kernel}),
                        {.stride = stride, .padding = kernel / 2});
  };
  add("stem", 3, 1);
  add("a", 3, 2);
  add("b", 3, 1);
  add("shortcut", 1, 2);
  add("c", 3, 1);
  add("d", 3, 1);
  for (const char* name : {"n0", "n1", "n2", "n3", "n4"}) network.add_neuron(name);
  network.walk = [&](Pass& pass, const Tensor& x) {
    auto& s = network.synapses();
    auto& n = network.neurons();
    const Tensor first = pass.neuron(n[0], pass.synapse(s[0], x));
    const Tensor long_way =
        pass.neuron(n[2], pass.synapse(s[2], pass.neuron(n[1], pass.synapse(s[1], first))));
    const Tensor y = long_way + pass.neuron(n[3], pass.synapse(s[3], first));
    return pass.synapse(s[5], y + y + pass.neuron(n[4], pass.synapse(s[4], y)));
  };
  const NetworkTrace found = trace(network);
  EXPECT_EQ(readers(found.neurons[0]), (Names{"a", "shortcut"}));
  EXPECT_EQ(readers(found.neurons[1]), (Names{"b"}));
  EXPECT_EQ(readers(found.neurons[2]), (Names{"c", "d"}));
  EXPECT_EQ(readers(found.neurons[3]), (Names{"c", "d"}));
  EXPECT_EQ(readers(found.neurons[4]), (Names{"d"}));
  expect_sizes(found.synapses[1], {6, 6}, {3, 3});
  expect_sizes(found.synapses[3], {6, 6}, {3, 3});
  EXPECT_EQ(found.neurons[3].shape, (Shape{2, 3, 3}));
}

// The imagenet stem has a padded max pool; identities carry the stem's spikes over both blocks of
// the first stage and stop at the second stage's shortcut.
TEST(Trace, WalksTheResNetsOfTheRegistry) {
  const auto network = build("sew_resnet18", "width = 2\nstem = \"imagenet\"",
                             {.channels = 3,
                              .height = 32,
                              .width = 32,
                              .classes = 3,
                              .neuron = read_neuron_spec(Config())});
  const NetworkTrace found = trace(*network);
  EXPECT_EQ(of(found, "_stem").shape, (Shape{2, 16, 16}));
  EXPECT_EQ(readers(of(found, "_stem")),
            (Names{"layer1.0.conv1", "layer1.1.conv1", "layer2.0.conv1", "layer2.0.shortcut"}));
  EXPECT_EQ(readers(of(found, "_layer1.0.conv1")), (Names{"layer1.0.conv2"}));
  EXPECT_EQ(readers(of(found, "_layer2.0.shortcut")),
            (Names{"layer2.1.conv1", "layer3.0.conv1", "layer3.0.shortcut"}));
  EXPECT_EQ(readers(of(found, "_layer4.1.conv2")), (Names{"head"}));
}

TEST(Trace, NeuronsBehindALinearLayerHaveOneAxisAndTheLastHaveNoReader) {
  TinyNetwork network;
  network.set_frame(2, 1, 3);
  network.add_synapse("fc", at::zeros({5, 6, 1, 1}));
  network.add_neuron("fire");
  network.walk = [&](Pass& pass, const Tensor& x) {
    return pass.neuron(network.neurons()[0], pass.synapse(network.synapses()[0], x.flatten(2)));
  };
  const NetworkTrace found = trace(network);
  EXPECT_EQ(found.neurons[0].shape, (Shape{5}));
  EXPECT_TRUE(found.neurons[0].readers.empty());
}

TEST(Trace, NeedsNoNeurons) {
  TinyNetwork network;
  network.set_frame(1, 4, 4);
  network.add_synapse("conv", at::zeros({1, 1, 3, 3}));
  network.walk = [&](Pass& pass, const Tensor& x) {
    return pass.synapse(network.synapses()[0], x).flatten(2);
  };
  const NetworkTrace found = trace(network);
  EXPECT_TRUE(found.neurons.empty());
  expect_sizes(found.synapses[0], {4, 4}, {2, 2});
}

}  // namespace
}  // namespace spikenm::nn
