#include "spikenm/metrics/activity.h"

#include "spikenm/graph/graph_toml.h"
#include "support/small_network.h"
#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::metrics {
namespace {

using at::Tensor;
using test::floats;
using test::TinyGraph;

// "first" repeats binary frames [T,B,1,side,side] as spikes.
TinyGraph repeating(int64_t side) {
  TinyGraph graph(1, side, side);
  graph.synapse("first", at::ones({1, 1, 1, 1}));
  graph.neuron("fire");
  return graph;
}

struct Repeater {
  std::unique_ptr<nn::Network> network;

  void show(ActivityObserver& observer, const Tensor& x) const {
    nn::RunPass pass(false, &observer);
    (void)network->forward(pass, x);
  }
  [[nodiscard]] double sops(const Tensor& x) const {
    ActivityObserver observer(*network);
    show(observer, x);
    return observer.sops_per_sample();
  }
};

// "second", the layer under test, is a 3x3 convolution of 4x4 spikes.
Repeater conv_reader(const Tensor& second) {
  TinyGraph graph = repeating(4);
  graph.synapse("second", second, {.stride = 1, .padding = 1});
  return {graph.make()};
}

// Or a linear layer of side x side of them.
Repeater linear_reader(int64_t side, const Tensor& second, bool maskable = true) {
  TinyGraph graph = repeating(side);
  graph.flatten();
  graph.synapse("second", second, {}, maskable);
  return {graph.make()};
}

// One spike at (row, column) of a 4x4 frame.
Tensor spike_at(int64_t row, int64_t column) {
  Tensor x = at::zeros({1, 1, 1, 4, 4});
  x[0][0][0][row][column] = 1;
  return x;
}

// A 3x3 kernel with padding 1 on 4x4 reaches 9 outputs from inside, 6 from an edge and 4 from a
// corner: taps that would land outside are no operations.
TEST(Sops, ASpikeCountsTheOutputsItReaches) {
  const Repeater dense = conv_reader(at::full({1, 1, 3, 3}, 0.5));
  EXPECT_EQ(dense.sops(spike_at(1, 2)), 9);
  EXPECT_EQ(dense.sops(spike_at(0, 2)), 6);
  EXPECT_EQ(dense.sops(spike_at(3, 3)), 4);
  EXPECT_EQ(dense.sops(spike_at(0, 0) + spike_at(1, 1)), 4 + 9);
  EXPECT_EQ(dense.sops(at::zeros({1, 1, 1, 4, 4})), 0);
}

// Channel 0 keeps the centre and the tap right of it, channel 1 the centre; signs play no part.
// A spike in the first column feeds no output to its left.
TEST(Sops, AWeightOfZeroIsNoConnection) {
  Tensor w = at::zeros({2, 1, 3, 3});
  w[0][0][1][1] = -2;
  w[0][0][1][2] = 3;
  w[1][0][1][1] = 1;
  const Repeater sparse = conv_reader(w);
  EXPECT_EQ(sparse.sops(spike_at(2, 1)), 3);
  EXPECT_EQ(sparse.sops(spike_at(2, 0)), 2);
}

// A kept weight that happens to be exactly 0 does no work either, whatever the mask says.
TEST(Sops, TheWeightUsedIsTheMaskedOne) {
  struct Mask : nn::WeightHook {
    Tensor keep = floats({1, 1, 0, 0}, {1, 4, 1, 1});
    Tensor effective(const Tensor& weight) override { return weight * keep; }
  } mask;
  // Four positions 2x2 -> one output; the second weight is kept but 0.
  const Repeater linear = linear_reader(2, floats({5, 0, 7, 8}, {1, 4, 1, 1}));
  const Tensor all = at::ones({1, 1, 1, 2, 2});
  EXPECT_EQ(linear.sops(all), 3);
  linear.network->synapses()[1].hook = &mask;
  EXPECT_EQ(linear.sops(all), 1);
}

// One spike of a 2x2 window leaves 1/4, three leave 3/4; each feeds 3 outputs.
TEST(Sops, AnAveragePoolMakesFractions) {
  TinyGraph graph = repeating(4);
  graph.pool(graph::PoolKind::kAverage);
  graph.flatten();
  graph.synapse("second", at::ones({3, 4, 1, 1}));
  const Repeater pooled{graph.make()};
  EXPECT_EQ(pooled.sops(spike_at(1, 1)), 0.75);
  EXPECT_EQ(pooled.sops(spike_at(0, 2) + spike_at(0, 3) + spike_at(1, 3)), 2.25);
}

// Without "second" nothing is counted: the first layer only encodes.
TEST(Sops, TheFirstLayerIsNotCounted) {
  TinyGraph graph(2);
  graph.flatten();
  graph.synapse("only", at::ones({4, 2, 1, 1}));
  const auto network = graph.make();
  ActivityObserver observer(*network);
  nn::RunPass pass(false, &observer);
  (void)network->forward(pass, at::ones({3, 2, 2}));
  EXPECT_EQ(observer.sops_per_sample(), 0);
}

// Steps add up; samples are averaged, each once, though the last batch is smaller.
TEST(Sops, StepsAreSummedAndSamplesAveragedExactly) {
  const Repeater linear = linear_reader(1, at::ones({5, 1, 1, 1}));
  ActivityObserver observer(*linear.network);
  EXPECT_EQ(observer.sops_per_sample(), 0);
  linear.show(observer, floats({1, 0, 1, 1}, {2, 2, 1, 1, 1}));  // samples with 2 and 1 spikes
  linear.show(observer, floats({1, 1}, {2, 1, 1, 1, 1}));        // one more with 2
  EXPECT_DOUBLE_EQ(observer.sops_per_sample(), 5 * (2 + 1 + 2) / 3.0);
}

// UPR divides every batch by the full size: 2 batches of 2 stand for 4 samples where there are 3.
TEST(Sops, UprsEstimateTakesTheLastBatchForFull) {
  const Repeater linear = linear_reader(1, at::ones({5, 1, 1, 1}));
  ActivityObserver observer(*linear.network);
  EXPECT_EQ(observer.sops_per_sample_upr(2), 0);
  linear.show(observer, floats({1, 0, 1, 1}, {2, 2, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(observer.sops_per_sample_upr(2), observer.sops_per_sample());
  linear.show(observer, floats({1, 1}, {2, 1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(observer.sops_per_sample_upr(2), 5 * (2 + 1 + 2) / 4.0);
}

// The spike in the middle of 4x4 reaches 9 neurons; the mask keeps the first row's (of which it
// reaches 3) and the last row's (none).
TEST(Sops, OperationsAtDroppedNeuronsAreNotDone) {
  TinyGraph graph = repeating(4);
  graph.synapse("second", at::full({1, 1, 3, 3}, 0.5), {.stride = 1, .padding = 1});
  graph.neuron("out");
  const Repeater conv{graph.make()};
  nn::Neuron& out = conv.network->neurons()[1];
  Tensor keep = at::zeros({1, 4, 4});
  keep[0][0].fill_(1);
  keep[0][3].fill_(1);
  ActivityObserver observer(*conv.network, {.neurons = {{.neuron = &out, .keep = keep}}});
  conv.show(observer, spike_at(1, 2));
  EXPECT_EQ(observer.sops_per_sample(), 3);
}

// The mask of "fire" says nothing about the operations of the layer that reads it.
TEST(Sops, ANeuronMaskConcernsTheLayerThatDrivesIt) {
  const Repeater conv = conv_reader(at::full({1, 1, 3, 3}, 0.5));
  nn::Neuron& fire = conv.network->neurons()[0];
  ActivityObserver observer(*conv.network,
                            {.neurons = {{.neuron = &fire, .keep = at::zeros({1, 4, 4})}}});
  conv.show(observer, spike_at(1, 2));
  EXPECT_EQ(observer.sops_per_sample(), 9);
}

// A residual sum of two spikes is two operations at each of 3 outputs.
TEST(Sops, ASumOfSpikesCountsEverySpike) {
  TinyGraph graph = repeating(1);
  graph.sum({graph.last(), graph.last()});
  graph.flatten();
  graph.synapse("second", at::ones({3, 1, 1, 1}));
  const Repeater linear{graph.make()};
  EXPECT_EQ(linear.sops(at::ones({1, 1, 1, 1, 1})), 6);
}

// The definition beside the count: conv(x, 1[w != 0]) at neurons that are kept.
struct Convolutions : nn::Observer {
  Convolutions(const nn::Network& network, const sparsity::Masks& masks)
      : neurons(masks.neurons), observer(network, masks) {}
  void on_synapse_input(const nn::Synapse& layer, const Tensor& x, const Tensor& weight) override {
    observer.on_synapse_input(layer, x, weight);
    if (layer.name == "conv1") return;
    const Tensor rows = x.flatten(0, 1).to(at::kDouble), alive = weight.ne(0).to(at::kDouble);
    const ops::SynapseGeometry& g = layer.spec->geometry;
    Tensor y = x.dim() == 3 ? at::mm(rows, alive.flatten(1).t())
                            : at::conv2d(rows, alive, {}, g.stride, g.padding);
    for (const sparsity::NeuronMask& mask : neurons)
      if (mask.neuron == layer.drives) y = y * mask.keep;
    operations += y.sum().item<double>();
  }

  std::vector<sparsity::NeuronMask> neurons;
  ActivityObserver observer;
  double operations = 0;
};

TEST(Sops, OfANetworkAreThoseOfItsConvolutions) {
  const auto network = test::small_network();
  const auto method = test::method_on(*network, "magnitude", "pattern = \"2:4\"");
  sparsity::Masks masks = sparsity::harden_all(*method);
  for (nn::Synapse& layer : network->synapses())
    layer.weight.detach().mul_(8);  // spikes everywhere
  for (const bool prunes_neurons : {false, true}) {
    if (prunes_neurons)
      for (nn::Neuron& neuron : network->neurons()) {
        const auto shape = network->graph().node(neuron.node).out.sizes();
        masks.neurons.push_back(
            {.neuron = &neuron,
             .keep = test::normal_tensor(shape, at::kFloat, 7).gt(0).to(at::kFloat)});
      }
    const sparsity::FrozenHooks hooks(masks);
    Convolutions both(*network, masks);
    nn::RunPass pass(/*training=*/false, &both);
    (void)network->forward(pass, test::spike_batch(3, 4));
    (void)network->forward(pass, test::spike_batch(3, 2));
    EXPECT_GT(both.operations, 1000);
    EXPECT_DOUBLE_EQ(both.observer.sops_per_sample(), both.operations / 6);
  }
}

// Each node reads the one before where nothing else is said; neurons fire at 1.
Repeater from_toml(const std::string& frame, const std::string& nodes) {
  const std::string text = "format = 'spikenm-graph'\nversion = 1\nname = 'net'\nframe = " + frame +
                           "\nclasses = ['only']\n" + nodes;
  Repeater found{std::make_unique<nn::Network>(graph::from_toml(text, "test"))};
  for (nn::Synapse& layer : found.network->synapses()) layer.weight.detach().fill_(1);
  return found;
}

// "a" and "b" both read the frame; only "c" reads spikes, one for each of 3 outputs.
TEST(Sops, EveryLayerThatReadsTheInputMultiplies) {
  const Repeater two = from_toml("[1, 1, 1]",
                                 "[[node]]\nname = 'a'\nop = 'synapse'\nout = 2\n"
                                 "[[node]]\nname = 'b'\nop = 'synapse'\nout = 2\n"
                                 "inputs = ['input']\n"
                                 "[[node]]\nname = 's'\nop = 'sum'\ninputs = ['a', 'b']\n"
                                 "[[node]]\nname = 'fire'\nop = 'neuron'\nkind = 'if'\n"
                                 "[[node]]\nname = 'c'\nop = 'synapse'\nout = 3\n"
                                 "[[node]]\nname = 'row'\nop = 'flatten'\n"
                                 "[[node]]\nname = 'v'\nop = 'vote'\nvoters = 3\n");
  EXPECT_EQ(two.sops(at::ones({1, 1, 1, 1, 1})), 2 * 3);
  EXPECT_EQ(two.sops(at::zeros({1, 1, 1, 1, 1})), 0);
}

// 4x4 spikes are read by "b" and "c", added up, pooled to 2x2 and fired. A neuron is dropped: the
// spike at (0, 0) lies below it, that at (3, 3) does not.
TEST(Sops, OperationsForDroppedNeuronsBehindSumsAndPoolsAreNotDone) {
  const Repeater net = from_toml("[1, 4, 4]",
                                 "[[node]]\nname = 'a'\nop = 'synapse'\nout = 1\n"
                                 "[[node]]\nname = 'first'\nop = 'neuron'\nkind = 'if'\n"
                                 "[[node]]\nname = 'b'\nop = 'synapse'\nout = 1\n"
                                 "[[node]]\nname = 'c'\nop = 'synapse'\nout = 1\n"
                                 "inputs = ['first']\n"
                                 "[[node]]\nname = 's'\nop = 'sum'\ninputs = ['b', 'c']\n"
                                 "[[node]]\nname = 'p'\nop = 'pool'\n"
                                 "[[node]]\nname = 'fire'\nop = 'neuron'\nkind = 'if'\n"
                                 "[[node]]\nname = 'row'\nop = 'flatten'\n"
                                 "[[node]]\nname = 'v'\nop = 'vote'\nvoters = 4\n");
  const Tensor keep = floats({0, 1, 1, 1}, {1, 2, 2});
  const auto sops = [&](const Tensor& x) {
    ActivityObserver observer(*net.network,
                              {.neurons = {{.neuron = &net.network->neurons()[1], .keep = keep}}});
    net.show(observer, x);
    return observer.sops_per_sample();
  };
  EXPECT_EQ(sops(spike_at(0, 0)), 0);
  EXPECT_EQ(sops(spike_at(3, 3)), 2);
  EXPECT_EQ(net.sops(spike_at(0, 0)), 2);
}

TEST(Sops, AReadoutThatIsNotMaskableIsNotCounted) {
  const Repeater linear = linear_reader(1, at::ones({5, 1, 1, 1}), /*maskable=*/false);
  EXPECT_EQ(linear.sops(at::ones({1, 1, 1, 1, 1})), 0);
}

// Two neurons of "a" fire 3 times in 2 steps of 2 samples: 3/8; the one of "b" fires twice: 2/4.
TEST(FiringRate, IsSpikesByNeuronStepAndSample) {
  TinyGraph graph(2);
  graph.flatten();
  graph.synapse("in", floats({1, 0, 0, 1}, {2, 2, 1, 1}));
  graph.neuron("a");
  graph.synapse("mix", floats({1, 0}, {1, 2, 1, 1}));
  graph.neuron("b");
  const auto network = graph.make();
  ActivityObserver observer(*network);
  EXPECT_EQ(observer.firing_rates().mean(), 0);
  nn::RunPass pass(false, &observer);
  (void)network->forward(pass, floats({1, 0, 0, 0, 0, 1, 1, 0}, {2, 2, 2}));
  using Rates = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(observer.firing_rates().by_layer(), (Rates{{"a", 0.375}, {"b", 0.5}}));
  EXPECT_DOUBLE_EQ(observer.firing_rates().mean(), 5.0 / 12);
  (void)network->forward(pass, at::zeros({1, 4, 2}));  // 8 and 4 chances more, no spike
  EXPECT_EQ(observer.firing_rates().by_layer(), (Rates{{"a", 3.0 / 16}, {"b", 0.25}}));
  EXPECT_DOUBLE_EQ(observer.firing_rates().mean(), 5.0 / 24);
}

}  // namespace
}  // namespace spikenm::metrics
