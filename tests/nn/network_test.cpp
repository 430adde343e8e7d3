#include "spikenm/nn/network.h"

#include "support/tensors.h"
#include "support/tiny_network.h"

namespace spikenm::nn {
namespace {

using graph::NeuronKind;
using test::TinyGraph;

TEST(Network, ParametersAndBuffersAreItsOwnTensorsByName) {
  TinyGraph graph;
  graph.synapse("fc", at::ones({1, 1, 1, 1}));
  graph.norm("bn");
  graph.neuron("still");
  graph.neuron("learns", {.neuron = NeuronKind::kPlif});
  const auto network = graph.make();
  const auto parameters = network->parameters(), buffers = network->buffers();
  std::vector<std::string> names;
  for (const auto& list : {parameters, buffers})
    for (const NamedTensor& t : list) names.push_back(t.name);
  EXPECT_EQ(names, (std::vector<std::string>{"fc.weight", "bn.weight", "bn.bias", "learns.w",
                                             "bn.running_mean", "bn.running_var"}));
  EXPECT_TRUE(parameters[0].tensor.is_same(network->synapses()[0].weight));
  EXPECT_TRUE(parameters[2].tensor.is_same(network->norms()[0].state.beta));
  EXPECT_TRUE(parameters[3].tensor.is_same(network->neurons()[1].leak_logit));
  EXPECT_TRUE(buffers[1].tensor.is_same(network->norms()[0].state.running_var));
}

// What a node says is what its layer has.
TEST(Network, ItsLayersAreThoseOfTheNodes) {
  graph::Graph graph("two", {3, 6, 5}, {"only"});
  const auto conv = graph.add(
      "a",
      graph::Synapse{
          .shape = {4, 3, 3, 3}, .geometry = {.stride = 2, .padding = 1}, .maskable = true},
      {0});
  const auto norm = graph.add("bn_a", graph::Norm{}, {conv});
  const auto fire = graph.add("lif_a", graph::Neuron{.maskable = true}, {norm});
  const auto row = graph.add("flatten", graph::Flatten{}, {fire});
  const auto head = graph.add(
      "head", graph::Synapse{.shape = {5, 0, 1, 1}, .bias = true, .maskable = false}, {row});
  Network network(graph);
  ASSERT_EQ(network.synapses().size(), 2u);
  ASSERT_EQ(network.norms().size(), 1u);
  ASSERT_EQ(network.neurons().size(), 1u);
  Synapse &a = network.synapse(conv), &b = network.synapse(head);
  EXPECT_EQ(&a, &network.synapses()[0]);
  EXPECT_EQ(&b, &network.synapses()[1]);
  EXPECT_EQ(&network.norm(norm), &network.norms()[0]);
  EXPECT_EQ(&network.neuron(fire), &network.neurons()[0]);
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.node, conv);
  EXPECT_EQ(a.weight.sizes(), at::IntArrayRef({4, 3, 3, 3}));
  EXPECT_EQ(a.spec->geometry.stride, 2);
  EXPECT_EQ(a.spec->geometry.padding, 1);
  EXPECT_TRUE(a.spec->maskable);
  EXPECT_FALSE(a.bias.defined());
  EXPECT_EQ(a.drives, &network.neurons()[0]);
  EXPECT_EQ(b.node, head);
  EXPECT_EQ(b.weight.sizes(), at::IntArrayRef({5, 4 * 3 * 3, 1, 1}));
  EXPECT_FALSE(b.spec->maskable);
  ASSERT_TRUE(b.bias.defined());
  EXPECT_EQ(b.bias.sizes(), at::IntArrayRef({5}));
  EXPECT_TRUE(b.bias.requires_grad());
  EXPECT_EQ(b.drives, nullptr);
  EXPECT_EQ(network.norms()[0].name, "bn_a");
  EXPECT_EQ(network.norms()[0].state.gamma.sizes(), at::IntArrayRef({4}));
  EXPECT_EQ(network.neurons()[0].name, "lif_a");
  EXPECT_EQ(network.neurons()[0].node, fire);
  EXPECT_TRUE(network.neurons()[0].spec->maskable);
  EXPECT_EQ(network.frame(), (graph::FrameShape{3, 6, 5}));
}

TEST(Network, EqualLayersStartFromOtherValues) {
  graph::Graph graph("two", {3, 4, 4}, {"only"});
  const graph::Synapse conv{
      .shape = {3, 3, 3, 3}, .geometry = {.stride = 1, .padding = 1}, .bias = true};
  graph.add("a", conv, {0});
  graph.add("b", conv, {1});
  const Network network(graph);
  EXPECT_FALSE(network.synapses()[0].weight.equal(network.synapses()[1].weight));
  EXPECT_FALSE(network.synapses()[0].bias.equal(network.synapses()[1].bias));
}

TEST(Network, ThePlanFollowsTheNumberOfStepsAndTheTypeOfTheWeights) {
  TinyGraph graph;
  graph.synapse("fc", at::ones({1, 1, 1, 1}));
  graph.norm("bn");
  graph.neuron("fire");
  const auto network = graph.make();
  EXPECT_EQ(network->plan(4).place.steps, 4);
  EXPECT_EQ(&network->plan(4), &network->plan(4));
  EXPECT_EQ(network->plan(4).steps.size(), 2u);
  EXPECT_EQ(network->plan(2).place.steps, 2);
  Tensor& weight = network->synapses()[0].weight;
  weight = weight.detach().to(at::kDouble);
  EXPECT_EQ(network->plan(2).steps.size(), 3u);  // what serves floats alone is not fused
}

}  // namespace
}  // namespace spikenm::nn
