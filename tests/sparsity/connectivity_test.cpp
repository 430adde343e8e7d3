#include "spikenm/sparsity/connectivity.h"

#include "support/model_network.h"
#include "support/tiny_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using at::Tensor;
using graph::PoolKind;
using test::TinyGraph;

LayerMask mask_of(nn::Synapse& synapse, std::vector<uint8_t> keep) {
  nm::Mask mask = nm::Mask::dense(synapse.weight.numel());
  mask.kind = nm::Mask::Kind::kUnstructured;
  mask.keep = std::move(keep);
  return make_layer_mask(synapse, std::move(mask));
}

// Of a 3x3 kernel only the tap up left of the centre.
const std::vector<uint8_t> kUpLeft = {1, 0, 0, 0, 0, 0, 0, 0, 0};

// A 3x3 convolution with padding 1 on one channel of side x side, perhaps a pool, and a linear
// layer.
std::unique_ptr<nn::Network> conv_linear(int64_t side, int64_t inputs, int64_t outputs,
                                         std::optional<PoolKind> pool = {}, int64_t stride = 1,
                                         bool linear_maskable = true) {
  TinyGraph graph(1, side, side);
  graph.synapse("conv", at::zeros({1, 1, 3, 3}), {.stride = stride, .padding = 1});
  graph.neuron("fire");
  if (pool) graph.pool(*pool);
  graph.flatten();
  graph.synapse("fc", at::zeros({outputs, inputs, 1, 1}), {}, linear_maskable);
  return graph.make();
}

void expect_layer(const LayerConnections& layer, const char* name, double alive, double dense) {
  EXPECT_EQ(layer.name, name);
  EXPECT_EQ(layer.alive, alive) << name;
  EXPECT_EQ(layer.dense, dense) << name;
}

// Along one axis of 4 the 3 taps meet 2 + 3 + 3 + 2 = 10 inputs: 100 in the plane, not 144.
TEST(Connectivity, PaddingIsNoConnectionAndTheFirstLayerCounts) {
  const auto network = conv_linear(4, 16, 2);
  const Connectivity dense = count_connections(*network, {});
  ASSERT_EQ(dense.layers.size(), 2u);
  expect_layer(dense.layers[0], "conv", 100, 100);
  expect_layer(dense.layers[1], "fc", 32, 32);
  EXPECT_EQ(dense.percent(), 100);
}

// Stride 2 on 4: outputs look at 2 and 3 inputs an axis, 25 in the plane.
TEST(Connectivity, AStrideLeavesOutputsOut) {
  const auto network = conv_linear(4, 4, 1, {}, 2);
  expect_layer(count_connections(*network, {}).layers[0], "conv", 25, 25);
}

// The kept tap sees nothing from the first row and column: of 4x4 neurons 3x3 live, each with one
// connection, and the linear layer finds 9 of its 16 inputs alive.
TEST(Connectivity, ANeuronWithoutLiveInputIsDeadDownstream) {
  const auto network = conv_linear(4, 16, 2);
  const Connectivity found =
      count_connections(*network, {.weights = {mask_of(network->synapses()[0], kUpLeft)}});
  expect_layer(found.layers[0], "conv", 9, 100);
  expect_layer(found.layers[1], "fc", 18, 32);
  EXPECT_EQ(found.alive(), 27);
  EXPECT_EQ(found.dense(), 132);
  EXPECT_DOUBLE_EQ(found.percent(), 100 * 27.0 / 132);
}

// The windows of that map hold 1, 2, 2 and 4 live neurons of 4: 2.25 in all; a max pool has 4.
TEST(Connectivity, AnAveragePoolMakesFractionsAndAMaxPoolNone) {
  for (const auto& [kind, alive] : {std::pair{PoolKind::kAverage, 2.25}, {PoolKind::kMax, 4.0}}) {
    const auto network = conv_linear(4, 4, 3, kind);
    const Connectivity found =
        count_connections(*network, {.weights = {mask_of(network->synapses()[0], kUpLeft)}});
    expect_layer(found.layers[1], "fc", 3 * alive, 12);
  }
}

// 2 -> 2 -> 2 -> 1. The second neuron has lost both inputs; of the 4 weights to the next layer, all
// kept, 2 come from it; those two neurons still live. Masks say what is kept, not the values.
TEST(Connectivity, ADeadNeuronTakesOnlyItsOwnConnections) {
  TinyGraph graph(2);
  graph.flatten();
  graph.synapse("a", at::zeros({2, 2, 1, 1}));
  graph.synapse("b", at::zeros({2, 2, 1, 1}));
  graph.synapse("c", at::zeros({1, 2, 1, 1}));
  const auto network = graph.make();
  const Connectivity found =
      count_connections(*network, {.weights = {mask_of(network->synapses()[0], {1, 1, 0, 0})}});
  expect_layer(found.layers[0], "a", 2, 4);
  expect_layer(found.layers[1], "b", 2, 4);
  expect_layer(found.layers[2], "c", 2, 2);
  EXPECT_EQ(found.percent(), 60);
}

// y = a(x) + b(a(x)) -> c. Every connection of c reads a sum of two neurons and counts twice. With
// b gone it counts once, as a alone lives.
TEST(Connectivity, AConnectionFromASumCountsForEveryTerm) {
  TinyGraph graph(1, 2, 2);
  const auto a = graph.synapse("a", at::zeros({1, 1, 1, 1}));
  const auto b = graph.synapse("b", at::zeros({1, 1, 1, 1}));
  graph.sum({a, b});
  graph.synapse("c", at::zeros({1, 1, 1, 1}));
  const auto network = graph.make();
  expect_layer(count_connections(*network, {}).layers[2], "c", 8, 8);
  const Connectivity found =
      count_connections(*network, {.weights = {mask_of(network->synapses()[1], {0})}});
  expect_layer(found.layers[1], "b", 0, 4);
  expect_layer(found.layers[2], "c", 4, 8);
}

NeuronMask neuron_mask(nn::Neuron& neuron, const std::vector<float>& keep, at::IntArrayRef shape) {
  return {.neuron = &neuron, .keep = test::floats(keep, shape)};
}

// A dropped neuron takes the connections that end at it, and those that leave it. Of the 2x2 map
// after a 3x3 convolution each neuron has 4 inputs; 3 of them are kept.
TEST(Connectivity, ADroppedNeuronTakesItsConnectionsInAndOut) {
  const auto network = conv_linear(2, 4, 5);
  nn::Neuron& fire = network->neurons()[0];
  const sparsity::Masks masks{.neurons = {neuron_mask(fire, {1, 0, 1, 1}, {1, 2, 2})}};
  const Connectivity found = count_connections(*network, masks);
  expect_layer(found.layers[0], "conv", 12, 16);
  expect_layer(found.layers[1], "fc", 15, 20);
}

// Weights first, neurons second: the tap up left leaves (1,1) alive alone, its mask drops that too.
TEST(Connectivity, WeightAndNeuronMasksAreCountedTogether) {
  const auto network = conv_linear(2, 4, 5);
  nn::Neuron& fire = network->neurons()[0];
  sparsity::Masks masks{.weights = {mask_of(network->synapses()[0], kUpLeft)},
                        .neurons = {neuron_mask(fire, {0, 0, 0, 1}, {1, 2, 2})}};
  const Connectivity alive = count_connections(*network, masks);
  expect_layer(alive.layers[0], "conv", 1, 16);
  expect_layer(alive.layers[1], "fc", 5, 20);
  masks.neurons = {neuron_mask(fire, {1, 1, 1, 0}, {1, 2, 2})};
  const Connectivity dead = count_connections(*network, masks);
  expect_layer(dead.layers[0], "conv", 0, 16);
  expect_layer(dead.layers[1], "fc", 0, 20);
}

// y = fire_a(a(x)) + fire_b(b(x)) on 2x2, then an average pool and a linear layer. The mask of
// fire_b keeps one neuron of four: the sum has 4 + 1 of 8 terms, the pool their quarter.
TEST(Connectivity, ResidualSumsAndAveragePoolsCarryNeuronMasks) {
  TinyGraph graph(1, 2, 2);
  std::vector<graph::NodeId> terms;
  for (const std::string name : {"a", "b"}) {
    graph.synapse_of(0, name, at::zeros({1, 1, 1, 1}));
    terms.push_back(graph.neuron("fire_" + name));
  }
  graph.sum(terms);
  graph.pool(PoolKind::kAverage);
  graph.flatten();
  graph.synapse("fc", at::zeros({3, 1, 1, 1}));
  const auto network = graph.make();
  const sparsity::Masks masks{
      .neurons = {neuron_mask(network->neurons()[1], {0, 0, 1, 0}, {1, 2, 2})}};
  const Connectivity found = count_connections(*network, masks);
  expect_layer(found.layers[0], "a", 4, 4);
  expect_layer(found.layers[1], "b", 1, 4);
  expect_layer(found.layers[2], "fc", 3 * 5 / 4.0, 3 * 8 / 4.0);
}

// Two 1x1 layers on 2x2 are added up before the neurons: of the four sums one neuron is dropped,
// and one connection of each layer goes with it.
TEST(Connectivity, ANeuronBehindASumTakesTheConnectionsOfEveryTerm) {
  TinyGraph graph(1, 2, 2);
  const auto a = graph.synapse_of(0, "a", at::zeros({1, 1, 1, 1}));
  const auto b = graph.synapse_of(0, "b", at::zeros({1, 1, 1, 1}));
  graph.sum({a, b});
  graph.neuron("fire");
  graph.flatten();
  graph.synapse("fc", at::zeros({5, 4, 1, 1}));
  const auto network = graph.make();
  const sparsity::Masks masks{
      .neurons = {neuron_mask(network->neurons()[0], {1, 1, 0, 1}, {1, 2, 2})}};
  const Connectivity found = count_connections(*network, masks);
  expect_layer(found.layers[0], "a", 3, 4);
  expect_layer(found.layers[1], "b", 3, 4);
  expect_layer(found.layers[2], "fc", 15, 20);  // a spike is one, whatever it was made of
}

// A 4x4 map is pooled to 2x2 before the neurons. The 4 places below the dropped one are of no use.
TEST(Connectivity, ANeuronBehindAPoolTakesTheConnectionsOfItsWindow) {
  for (const PoolKind kind : {PoolKind::kAverage, PoolKind::kMax}) {
    TinyGraph graph(1, 4, 4);
    graph.synapse("conv", at::zeros({1, 1, 1, 1}));
    graph.pool(kind);
    graph.neuron("fire");
    graph.flatten();
    graph.synapse("fc", at::zeros({5, 4, 1, 1}));
    const auto network = graph.make();
    const sparsity::Masks masks{
        .neurons = {neuron_mask(network->neurons()[0], {1, 1, 0, 1}, {1, 2, 2})}};
    const Connectivity found = count_connections(*network, masks);
    expect_layer(found.layers[0], "conv", 12, 16);
    expect_layer(found.layers[1], "fc", 15, 20);
  }
}

// Neurons and a synapse read "a", whose every value matters to the synapse; what the neurons say
// does not pass where they are dropped.
TEST(Connectivity, ADroppedNeuronIsDeadThoughAnotherReadsItsInput) {
  TinyGraph graph(1, 2, 2);
  const auto a = graph.synapse("a", at::zeros({1, 1, 1, 1}));
  const auto fire = graph.neuron("fire");
  const auto b = graph.synapse_of(a, "b", at::zeros({1, 1, 1, 1}));
  graph.synapse_of(fire, "c", at::zeros({1, 1, 1, 1}));
  graph.sum({b, graph.last()});
  const auto network = graph.make();
  const sparsity::Masks masks{
      .neurons = {neuron_mask(network->neurons()[0], {0, 1, 1, 1}, {1, 2, 2})}};
  const Connectivity found = count_connections(*network, masks);
  expect_layer(found.layers[0], "a", 4, 4);
  expect_layer(found.layers[1], "b", 4, 4);
  expect_layer(found.layers[2], "c", 3, 4);
}

TEST(Connectivity, AReadoutThatIsNotMaskableIsNotCounted) {
  const auto network = conv_linear(4, 16, 2, {}, 1, /*linear_maskable=*/false);
  const Connectivity found = count_connections(*network, {});
  ASSERT_EQ(found.layers.size(), 1u);
  expect_layer(found.layers[0], "conv", 100, 100);
  EXPECT_EQ(found.dense(), 100);
}

// On H x W a 3x3 layer has (3H - 2)(3W - 2) pairs of positions. 18x17 -> 9x8 -> 4x4 -> 2x2.
TEST(Connectivity, SmallConvHasTheConnectionsCountedByHand) {
  const auto network =
      test::model_network("small_conv", "width = 3\nvoters = 2",
                          {.frame = {2, 18, 17}, .classes = graph::numbered_classes(5)});
  const Connectivity found = count_connections(*network, {});
  ASSERT_EQ(found.layers.size(), 4u);
  expect_layer(found.layers[0], "conv1", 52 * 49 * 2 * 3, 52 * 49 * 2 * 3);
  expect_layer(found.layers[1], "conv2", 25 * 22 * 3 * 6, 25 * 22 * 3 * 6);
  expect_layer(found.layers[2], "conv3", 10 * 10 * 6 * 6, 10 * 10 * 6 * 6);
  expect_layer(found.layers[3], "fc1", 6 * 4 * 10, 6 * 4 * 10);
}

struct Paper {
  const char* model;
  graph::ModelSpec spec;
  int64_t weights;  // of layers that are counted
  double connections;
};

// The figures of the paper's networks at full width. resnet19 by hand: a 3x3 layer on H x H has
// (3H - 2)^2 pairs of positions, (3H/2 - 1)^2 with stride 2, and counts as often as its input's
// residual sum has terms: 94^2 * 3 * 64 for the stem; in stage 1 94^2 (64 * 128 + 8 * 128^2) and
// 32^2 * 64 * 128 for the shortcut; in stage 2, whose input has 4 terms, 4 * 47^2 * 128 * 256 +
// 8 * 46^2 * 256^2 + 4 * 16^2 * 128 * 256; in stage 3 4 * 23^2 * 256 * 512 + 4 * 22^2 * 512^2 +
// 4 * 8^2 * 256 * 512; 3 * 512 * 256 for fc1 and 256 * 100 for fc2.
TEST(Connectivity, ThePapersNetworksHaveTheirWeightsAndConnections) {
  const graph::ModelSpec images{.frame = {3, 32, 32}}, events{.frame = {2, 48, 48}};
  graph::ModelSpec gestures = events;
  gestures.classes = graph::numbered_classes(11);
  for (const Paper& paper : {Paper{"6conv2fc", images, 36715264, 1614720000},
                             {"vggsnn", events, 9677952, 1238690304},
                             {"vgg13", gestures, 9457792, 445644288},
                             {"sew_resnet18", images, 11159232, 725811968},
                             {"resnet19", images, 12643008, 3491940096}}) {
    const auto network = test::model_network(paper.model, "", paper.spec);
    int64_t weights = 0;
    for (const nn::Synapse& s : network->synapses())
      weights += s.spec->maskable ? s.weight.numel() : 0;
    EXPECT_EQ(weights, paper.weights) << paper.model;
    if (network->synapses().front().name == "stem") {  // UPR leaves it out: 11,157,504
      EXPECT_EQ(network->synapses().front().weight.numel(), 1728) << paper.model;
    }
    const Connectivity found = count_connections(*network, {});
    EXPECT_EQ(found.dense(), paper.connections) << paper.model;
    EXPECT_EQ(found.alive(), paper.connections) << paper.model;
  }
}

}  // namespace
}  // namespace spikenm::sparsity
