#include "spikenm/nn/hooks.h"

#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::nn {
namespace {

using test::floats;
using test::tensors_equal;
using test::TinyGraph;

struct MaskHook : WeightHook {
  explicit MaskHook(Tensor mask) : keep(std::move(mask)) {}
  Tensor effective(const Tensor& weight) override {
    ++calls;
    return weight * keep;
  }
  std::shared_ptr<ops::CreditSink> credit() override { return sink; }

  Tensor keep;
  std::shared_ptr<ops::CreditSink> sink;
  int calls = 0;
};

struct SilenceHook : SpikeHook {
  explicit SilenceHook(Tensor alive_neurons) : alive(std::move(alive_neurons)) {}
  Tensor effective(const Tensor& spikes) override { return spikes * alive; }
  Tensor alive;
};

// Two inputs -> two neurons that repeat them -> one output 10 a + b.
std::unique_ptr<Network> make_pair() {
  TinyGraph graph(2);
  graph.flatten();
  graph.synapse("in", floats({1, 0, 0, 1}, {2, 2, 1, 1}));
  graph.neuron("fire");
  graph.synapse("out", floats({10, 1}, {1, 2, 1, 1}));
  return graph.make();
}

struct Pair {
  std::unique_ptr<Network> network = make_pair();

  Tensor run(Observer* observer = nullptr) {
    RunPass pass(false, observer);
    return network->forward(pass, floats({1, 1, 0, 1}, {2, 1, 2}));  // (1,1), then (0,1)
  }
};

TEST(Hooks, WithoutHooksTheNetworkRunsAsItIs) {
  EXPECT_TRUE(tensors_equal(Pair().run(), floats({11, 1}, {2, 1, 1})));
}

TEST(Hooks, AWeightHookChoosesTheWeightOfItsLayerAtEveryForward) {
  Pair pair;
  MaskHook hook(floats({1, 0}, {1, 2, 1, 1}));
  pair.network->synapses()[1].hook = &hook;
  EXPECT_TRUE(tensors_equal(pair.run(), floats({10, 0}, {2, 1, 1})));
  hook.keep = floats({0, 1}, {1, 2, 1, 1});
  EXPECT_TRUE(tensors_equal(pair.run(), floats({1, 1}, {2, 1, 1})));
  EXPECT_EQ(hook.calls, 2);
  EXPECT_TRUE(
      tensors_equal(pair.network->synapses()[1].weight.detach(), floats({10, 1}, {1, 2, 1, 1})));
}

TEST(Hooks, TheGradientPassesThroughTheHook) {
  Pair pair;
  MaskHook hook(floats({1, 0}, {1, 2, 1, 1}));
  pair.network->synapses()[1].hook = &hook;
  const Tensor weight = pair.network->synapses()[1].weight;
  // dL/dw = sum over steps of the spikes: 1 + 0 and 1 + 1; the second is masked.
  EXPECT_TRUE(tensors_equal(torch::autograd::grad({pair.run().sum()}, {weight})[0],
                            floats({1, 0}, {1, 2, 1, 1})));
}

TEST(Hooks, ASpikeHookChoosesTheSpikesThatMoveOn) {
  Pair pair;
  SilenceHook hook(floats({0, 1}, {2}));
  pair.network->neurons()[0].hook = &hook;
  EXPECT_TRUE(tensors_equal(pair.run(), floats({1, 1}, {2, 1, 1})));
}

TEST(Hooks, TheCreditSinkReceivesTheUnmaskedCreditOfItsLayer) {
  Pair pair;
  MaskHook masked(floats({1, 0}, {1, 2, 1, 1})), plain(at::ones({2, 2, 1, 1}));
  masked.sink = std::make_shared<ops::CreditSink>();
  pair.network->synapses()[1].hook = &masked;
  pair.network->synapses()[0].hook = &plain;
  const Tensor scores = pair.run();
  EXPECT_FALSE(masked.sink->credit.defined());
  // The error of step 0 is 1, of step 1 is -3: |1*1| + |-3*0| and |1*1| + |-3*1|.
  torch::autograd::backward({scores}, {floats({1, -3}, {2, 1, 1})});
  EXPECT_TRUE(tensors_equal(masked.sink->credit, floats({1, 4}, {1, 2, 1, 1})));
  masked.sink->kind = ops::CreditKind::kNet;
  torch::autograd::backward({pair.run()}, {floats({1, -3}, {2, 1, 1})});
  EXPECT_TRUE(tensors_equal(masked.sink->credit, floats({1, 2}, {1, 2, 1, 1})));
}

struct Recorder : Observer {
  void on_synapse_input(const Synapse& layer, const Tensor& x, const Tensor& weight) override {
    log.push_back(layer.name);
    tensors.push_back(x.detach());
    weights.push_back(weight.detach());
  }
  void on_spikes(const Neuron& layer, const Tensor& spikes) override {
    log.push_back(layer.name);
    tensors.push_back(spikes.detach());
  }
  std::vector<std::string> log;
  std::vector<Tensor> tensors, weights;
};

TEST(Hooks, AnObserverSeesWhatTheHooksMade) {
  Pair pair;
  MaskHook mask(floats({1, 0}, {1, 2, 1, 1}));
  SilenceHook silence(floats({0, 1}, {2}));
  pair.network->synapses()[1].hook = &mask;
  pair.network->neurons()[0].hook = &silence;
  Recorder seen;
  (void)pair.run(&seen);
  EXPECT_EQ(seen.log, (std::vector<std::string>{"in", "fire", "out"}));
  const Tensor spikes = floats({0, 1, 0, 1}, {2, 1, 2});
  EXPECT_TRUE(tensors_equal(seen.tensors[0], floats({1, 1, 0, 1}, {2, 1, 2})));
  EXPECT_TRUE(tensors_equal(seen.tensors[1], spikes));
  EXPECT_TRUE(tensors_equal(seen.tensors[2], spikes));
  EXPECT_TRUE(tensors_equal(seen.weights[0], floats({1, 0, 0, 1}, {2, 2, 1, 1})));
  EXPECT_TRUE(tensors_equal(seen.weights[1], floats({10, 0}, {1, 2, 1, 1})));
}

}  // namespace
}  // namespace spikenm::nn
