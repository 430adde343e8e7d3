#include "spikenm/nn/plain_pass.h"

#include "spikenm/nn/run_pass.h"
#include "support/model_network.h"
#include "support/neuron_run.h"
#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::nn {
namespace {

using test::normal_tensor;
using test::tensors_close;

std::unique_ptr<Network> build(const std::string& name, const std::string& lines,
                               const graph::NeuronParams& params) {
  return test::model_network(name, lines,
                             {.frame = {2, 33, 32},
                              .classes = graph::numbered_classes(3),
                              .neuron = {.params = params, .tau = 1 / params.k}});
}

// Watches neurons and leaves their spikes alone.
class Watch : public SpikeHook {
 public:
  explicit Watch(int64_t channels) : sums_(at::zeros({channels})) {}
  Tensor effective(const Tensor& spikes) override {
    ADD_FAILURE() << "a hook that changes nothing was called";
    return spikes;
  }
  [[nodiscard]] bool changes() const override { return false; }
  [[nodiscard]] Tensor activity() const override { return sums_; }

 private:
  Tensor sums_;
};

struct Walked {
  std::vector<std::string> names;
  // Scores, gradients of the parameters, running statistics, activity of the neurons.
  std::vector<Tensor> values;
};

Walked walk(Pass& pass, Network& network, const Tensor& x) {
  Walked all;
  std::vector<std::unique_ptr<Watch>> watches;
  for (Neuron& neuron : network.neurons()) {
    watches.push_back(std::make_unique<Watch>(network.graph().node(neuron.node).out.channels));
    neuron.hook = watches.back().get();
  }
  const Tensor scores = network.forward(pass, x);
  for (Neuron& neuron : network.neurons()) neuron.hook = nullptr;
  std::vector<Tensor> parameters;
  for (const NamedTensor& p : network.parameters()) {
    all.names.push_back(p.name);
    parameters.push_back(p.tensor);
  }
  all.values = torch::autograd::grad({scores.square().sum()}, parameters);
  for (const NamedTensor& b : network.buffers()) {
    all.names.push_back(b.name);
    all.values.push_back(b.tensor.clone());
  }
  for (const auto& watch : watches) {
    all.names.emplace_back("activity");
    all.values.push_back(watch->activity());
  }
  all.names.emplace_back("scores");
  all.values.push_back(scores.detach());
  return all;
}

// Differences relative to the tensor's largest value: one spike within rounding of the threshold
// would show as far more than the tolerance.
void expect_same_walk(const std::string& name, const std::string& lines,
                      const graph::NeuronParams& params, int64_t T) {
  SCOPED_TRACE(name + ", " + test::describe(params));
  const auto plain_network = build(name, lines, params), network = build(name, lines, params);
  const Tensor x = normal_tensor({T, 3, 2, 33, 32}, at::kFloat, 1, 2);
  PlainPass plain(/*training=*/true, T);
  RunPass run(/*training=*/true);
  const Walked wanted = walk(plain, *plain_network, x), found = walk(run, *network, x);
  for (size_t i = 0; i < wanted.values.size(); ++i) {
    const double largest = wanted.values[i].abs().max().item<double>();
    EXPECT_GT(largest, 0) << wanted.names[i];
    EXPECT_TRUE(tensors_close(found.values[i], wanted.values[i], {1e-4 * largest, 1e-4}))
        << wanted.names[i];
  }
}

TEST(PlainPass, ScoresGradientsAndStatisticsEqualThoseOfTheRunPass) {
  for (const auto& [name, lines] : test::small_model_keys())
    expect_same_walk(name, lines, {.threshold = 0.1}, /*T=*/3);
}

TEST(PlainPass, EveryOptionOfTheNeuronIsHonoured) {
  for (graph::NeuronParams params : test::all_neuron_params()) {
    params.threshold = 0.3;
    expect_same_walk("vgg", "layers = '3 A A'", params, /*T=*/4);
  }
}

TEST(PlainPass, AnInputOfOneStepIsShownAtAll) {
  const auto network = build("small_conv", "width = 3", {.threshold = 0.3});
  const Tensor image = normal_tensor({1, 2, 2, 33, 32}, at::kFloat, 1, 2);
  PlainPass pass(/*training=*/false, /*steps=*/4);
  EXPECT_TRUE(test::tensors_identical(network->forward(pass, image),
                                      network->forward(pass, image.repeat({4, 1, 1, 1, 1}))));
}

// A neuron that reads the image itself needs all steps too: half a threshold fires at every second.
TEST(PlainPass, AnImageLastsForNeuronsThatReadIt) {
  test::TinyGraph tiny(1, 1, 1);
  tiny.flatten();
  tiny.neuron("fire");
  tiny.synapse("out", at::ones({1, 1, 1, 1}));
  const auto network = tiny.make();
  PlainPass plain(/*training=*/false, /*steps=*/4);
  RunPass run(/*training=*/false, nullptr, /*steps=*/4);
  const Tensor image = at::full({1, 1, 1, 1, 1}, 0.5f),
               wanted = test::floats({0, 1, 0, 1}, {4, 1, 1});
  EXPECT_TRUE(test::tensors_equal(network->forward(plain, image), wanted));
  EXPECT_TRUE(test::tensors_equal(network->forward(run, image), wanted));
}

TEST(PlainPass, HooksChangeWeightsAndSpikes) {
  struct Double : WeightHook, SpikeHook {
    Tensor effective(const Tensor& t) override { return 2 * t; }
  } hook;
  test::TinyGraph graph;
  graph.flatten();
  graph.synapse("a", at::ones({1, 1, 1, 1}));
  graph.neuron("n");
  const auto network = graph.make();
  PlainPass pass(/*training=*/true, /*steps=*/1);
  const Tensor half = at::full({1, 1, 1}, 0.5f);
  EXPECT_EQ(network->forward(pass, half).item<float>(), 0);
  network->synapses()[0].hook = &hook;
  EXPECT_EQ(network->forward(pass, half).item<float>(), 1);
  network->neurons()[0].hook = &hook;
  EXPECT_EQ(network->forward(pass, half).item<float>(), 2);
}

}  // namespace
}  // namespace spikenm::nn
