#include "spikenm/metrics/connectivity.h"

#include "spikenm/nn/models/models.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

namespace spikenm::metrics {
namespace {

using at::Tensor;
using ops::PoolKind;
using sparsity::LayerMask;
using test::TinyNetwork;

LayerMask mask_of(nn::Synapse& synapse, std::vector<uint8_t> keep) {
  nm::Mask mask = nm::Mask::dense(synapse.weight.numel());
  mask.kind = nm::Mask::Kind::kUnstructured;
  mask.keep = std::move(keep);
  return sparsity::make_layer_mask(synapse, std::move(mask));
}

// Of a 3x3 kernel only the tap up left of the centre.
const std::vector<uint8_t> kUpLeft = {1, 0, 0, 0, 0, 0, 0, 0, 0};

// A 3x3 convolution with padding 1 on one channel, perhaps a pool, and a linear layer.
struct ConvLinear {
  TinyNetwork network;
  ConvLinear(int64_t inputs, int64_t outputs, std::optional<PoolKind> pool = {},
             int64_t stride = 1) {
    network.add_synapse("conv", at::zeros({1, 1, 3, 3}), {.stride = stride, .padding = 1});
    network.add_neuron("fire");
    network.add_synapse("fc", at::zeros({outputs, inputs, 1, 1}));
    network.walk = [this, pool](nn::Pass& pass, const Tensor& x) {
      Tensor y = pass.neuron(network.neurons()[0], pass.synapse(network.synapses()[0], x));
      if (pool) y = pass.pool(*pool, 2, y);
      return pass.synapse(network.synapses()[1], y.flatten(2));
    };
  }
};

void expect_layer(const LayerConnections& layer, const char* name, double alive, double dense) {
  EXPECT_EQ(layer.name, name);
  EXPECT_EQ(layer.alive, alive) << name;
  EXPECT_EQ(layer.dense, dense) << name;
}

// Along one axis of 4 the 3 taps meet 2 + 3 + 3 + 2 = 10 inputs: 100 in the plane, not 144.
TEST(Connectivity, PaddingIsNoConnectionAndTheFirstLayerCounts) {
  ConvLinear model(16, 2);
  const Connectivity dense = count_connections(model.network, {}, 1, 4, 4);
  ASSERT_EQ(dense.layers.size(), 2u);
  expect_layer(dense.layers[0], "conv", 100, 100);
  expect_layer(dense.layers[1], "fc", 32, 32);
  EXPECT_EQ(dense.percent(), 100);
}

// Stride 2 on 4: outputs look at 2 and 3 inputs an axis, 25 in the plane.
TEST(Connectivity, AStrideLeavesOutputsOut) {
  ConvLinear model(4, 1, {}, 2);
  expect_layer(count_connections(model.network, {}, 1, 4, 4).layers[0], "conv", 25, 25);
}

// The kept tap sees nothing from the first row and column: of 4x4 neurons 3x3 live, each with one
// connection, and the linear layer finds 9 of its 16 inputs alive.
TEST(Connectivity, ANeuronWithoutLiveInputIsDeadDownstream) {
  ConvLinear model(16, 2);
  const Connectivity found =
      count_connections(model.network, {mask_of(model.network.synapses()[0], kUpLeft)}, 1, 4, 4);
  expect_layer(found.layers[0], "conv", 9, 100);
  expect_layer(found.layers[1], "fc", 18, 32);
  EXPECT_EQ(found.alive(), 27);
  EXPECT_EQ(found.dense(), 132);
  EXPECT_DOUBLE_EQ(found.percent(), 100 * 27.0 / 132);
}

// The windows of that map hold 1, 2, 2 and 4 live neurons of 4: 2.25 in all; a max pool has 4.
TEST(Connectivity, AnAveragePoolMakesFractionsAndAMaxPoolNone) {
  for (const auto& [kind, alive] : {std::pair{PoolKind::kAverage, 2.25}, {PoolKind::kMax, 4.0}}) {
    ConvLinear model(4, 3, kind);
    const Connectivity found =
        count_connections(model.network, {mask_of(model.network.synapses()[0], kUpLeft)}, 1, 4, 4);
    expect_layer(found.layers[1], "fc", 3 * alive, 12);
  }
}

// 2 -> 2 -> 2 -> 1. The second neuron has lost both inputs; of the 4 weights to the next layer, all
// kept, 2 come from it; those two neurons still live. Masks say what is kept, not the values.
TEST(Connectivity, ADeadNeuronTakesOnlyItsOwnConnections) {
  TinyNetwork network;
  network.add_synapse("a", at::zeros({2, 2, 1, 1}));
  network.add_synapse("b", at::zeros({2, 2, 1, 1}));
  network.add_synapse("c", at::zeros({1, 2, 1, 1}));
  network.walk = [&](nn::Pass& pass, const Tensor& x) {
    Tensor y = x.flatten(2);
    for (nn::Synapse& layer : network.synapses()) y = pass.synapse(layer, y);
    return y;
  };
  const Connectivity found =
      count_connections(network, {mask_of(network.synapses()[0], {1, 1, 0, 0})}, 2, 1, 1);
  expect_layer(found.layers[0], "a", 2, 4);
  expect_layer(found.layers[1], "b", 2, 4);
  expect_layer(found.layers[2], "c", 2, 2);
  EXPECT_EQ(found.percent(), 60);
}

// y = a(x) + b(a(x)) -> c. Every connection of c reads a sum of two neurons and counts twice. With
// b gone it counts once, as a alone lives.
TEST(Connectivity, AConnectionFromASumCountsForEveryTerm) {
  TinyNetwork network;
  for (const char* name : {"a", "b", "c"}) network.add_synapse(name, at::zeros({1, 1, 1, 1}));
  network.walk = [&](nn::Pass& pass, const Tensor& x) {
    auto& layers = network.synapses();
    const Tensor y = pass.synapse(layers[0], x);
    return pass.synapse(layers[2], y + pass.synapse(layers[1], y));
  };
  expect_layer(count_connections(network, {}, 1, 2, 2).layers[2], "c", 8, 8);
  const Connectivity found =
      count_connections(network, {mask_of(network.synapses()[1], {0})}, 1, 2, 2);
  expect_layer(found.layers[1], "b", 0, 4);
  expect_layer(found.layers[2], "c", 4, 8);
}

std::unique_ptr<nn::Network> build(const std::string& name, const std::string& lines,
                                   const nn::ModelSpec& spec) {
  return nn::models().find(name)(spec, Config::from_text(lines, "test"));
}

// On H x W a 3x3 layer has (3H - 2)(3W - 2) pairs of positions. 18x17 -> 9x8 -> 4x4 -> 2x2.
TEST(Connectivity, SmallConvHasTheConnectionsCountedByHand) {
  const auto network = build("small_conv", "width = 3\nvoters = 2",
                             {.channels = 2, .height = 18, .width = 17, .classes = 5});
  const Connectivity found = count_connections(*network, {}, 2, 18, 17);
  ASSERT_EQ(found.layers.size(), 4u);
  expect_layer(found.layers[0], "conv1", 52 * 49 * 2 * 3, 52 * 49 * 2 * 3);
  expect_layer(found.layers[1], "conv2", 25 * 22 * 3 * 6, 25 * 22 * 3 * 6);
  expect_layer(found.layers[2], "conv3", 10 * 10 * 6 * 6, 10 * 10 * 6 * 6);
  expect_layer(found.layers[3], "fc1", 6 * 4 * 10, 6 * 4 * 10);
}

// The published network for DVS-Gesture: 9,457,792 weights and 445,644,288 connections.
TEST(Connectivity, Vgg13HasThePublishedWeightsAndConnections) {
  const auto network = build("vgg", "layers = '64 64 A 128 128 A 256 256 A 512 512 A 512 512 A'",
                             {.channels = 2, .height = 48, .width = 48, .classes = 11});
  int64_t weights = 0;
  for (const nn::Synapse& s : network->synapses()) weights += s.weight.numel();
  EXPECT_EQ(weights, 9457792);
  EXPECT_EQ(count_connections(*network, {}, 2, 48, 48).dense(), 445644288);
}

}  // namespace
}  // namespace spikenm::metrics
