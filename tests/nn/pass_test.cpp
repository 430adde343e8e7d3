// A pass node by node, and the pass that runs by a plan.
#include "spikenm/nn/pass.h"

#include "spikenm/nn/plan.h"
#include "spikenm/nn/run_pass.h"
#include "support/model_network.h"
#include "support/tensors.h"
#include "support/tiny_network.h"

#include <algorithm>
#include <numeric>

namespace spikenm::nn {
namespace {

using graph::NeuronKind;
using test::floats;
using test::normal_tensor;
using test::tensors_close;
using test::tensors_identical;
using test::TinyGraph;

// Sees everything and keeps it.
struct Recorder : Observer {
  void on_synapse_input(const Synapse& layer, const Tensor& x, const Tensor&) override {
    names.push_back(layer.name);
    tensors.push_back(x.detach().clone());
  }
  void on_spikes(const Neuron& layer, const Tensor& spikes) override {
    names.push_back(layer.name);
    tensors.push_back(spikes.detach().clone());
  }
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
};

// RunPass, without its plan.
struct NodeByNode : RunPass {
  using RunPass::RunPass;
  Tensor run(Network& network, const Tensor& x) override { return Pass::run(network, x); }
};

struct Outcome {
  Tensor scores;
  std::vector<Tensor> gradients;  // of the parameters
  std::vector<Tensor> buffers;    // running statistics
};

template <class P>
Outcome run_as(const graph::Graph& graph, const Tensor& x, bool training, int64_t steps,
               Observer* observer) {
  Network network(graph, 5);
  for (Norm& norm : network.norms()) norm.state.running_mean.add_(0.1);
  P pass(training, observer, steps);
  const Tensor scores = network.forward(pass, x);
  Outcome outcome{.scores = scores.detach()};
  std::vector<Tensor> parameters;
  for (const NamedTensor& p : network.parameters()) parameters.push_back(p.tensor);
  outcome.gradients = torch::autograd::grad({scores.square().sum()}, parameters);
  for (const NamedTensor& b : network.buffers()) outcome.buffers.push_back(b.tensor);
  return outcome;
}

// Scores are the same bits. The backward of a fused step sums in another order, and so do the
// statistics; where nothing is fused they are the same bits too.
void expect_same(const Outcome& found, const Outcome& wanted, bool fused) {
  EXPECT_TRUE(tensors_identical(found.scores, wanted.scores));
  const auto compare = [&](const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                           double rounding) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const double largest = b[i].abs().max().item<double>();
      EXPECT_TRUE(fused ? tensors_close(a[i], b[i], {rounding * largest, rounding})
                        : tensors_identical(a[i], b[i]))
          << i;
    }
  };
  compare(found.gradients, wanted.gradients, 1e-3);
  compare(found.buffers, wanted.buffers, 1e-5);
}

bool has_fused_step(const graph::Graph& graph) {
  const Plan plan = make_plan(graph, {.device = at::kCPU, .steps = 4});
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
    return step.norm.has_value() && step.neurons.has_value();
  });
}

void expect_same_observations(const Recorder& found, const Recorder& wanted) {
  ASSERT_EQ(found.names, wanted.names);
  for (size_t i = 0; i < wanted.names.size(); ++i)
    EXPECT_TRUE(tensors_identical(found.tensors[i], wanted.tensors[i])) << wanted.names[i];
}

TEST(Pass, NodeByNodeGivesWhatThePlanGives) {
  for (const std::string& name : graph::models().names())
    for (const graph::NeuronTraits& kind : graph::neuron_kinds())
      for (const bool training : {true, false})
        for (const int64_t given : {4, 1}) {  // event frames, and an image for four steps
          SCOPED_TRACE(testing::Message() << name << " kind " << kind.name << " training "
                                          << training << " frames " << given);
          const graph::Graph graph = test::small_model(name, test::deep_spec(kind.kind));
          const Tensor x = normal_tensor({given, 3, 2, 33, 32}, at::kFloat, 1, 2);
          const bool fused = has_fused_step(graph);
          const Outcome wanted = run_as<NodeByNode>(graph, x, training, 4, nullptr);
          EXPECT_GT(wanted.scores.abs().max().item<double>(), 0);
          expect_same(run_as<RunPass>(graph, x, training, 4, nullptr), wanted, fused);
          Recorder by_node, by_plan;
          expect_same(run_as<NodeByNode>(graph, x, training, 4, &by_node), wanted, false);
          expect_same(run_as<RunPass>(graph, x, training, 4, &by_plan), wanted, fused);
          expect_same_observations(by_plan, by_node);
        }
}

TEST(Pass, AnObserverSeesEveryLayerInForwardOrder) {
  const graph::Graph graph = test::small_model("sew_resnet18");
  std::vector<std::string> wanted;
  for (const graph::Node& node : graph.nodes())
    if (node.as<graph::Synapse>() != nullptr || node.as<graph::Neuron>() != nullptr)
      wanted.push_back(node.name);
  Recorder seen;
  (void)run_as<RunPass>(graph, normal_tensor({2, 2, 2, 33, 32}, at::kFloat, 1), true, 2, &seen);
  EXPECT_EQ(seen.names, wanted);
}

TEST(Pass, AChainIsSynapseNormNeuronAndPoolOneAfterAnother) {
  TinyGraph graph(3, 6, 5);
  graph.synapse("a", normal_tensor({4, 3, 3, 3}, at::kFloat, 2), {.stride = 2, .padding = 1});
  graph.norm("bn_a");
  graph.neuron("lif_a", {});
  const auto network = graph.make();
  const Tensor x = normal_tensor({3, 2, 3, 6, 5}, at::kFloat, 1, 2);
  RunPass pass(false);
  const Tensor wanted =
      pass.neuron(network->neurons()[0],
                  pass.norm(network->norms()[0], pass.synapse(network->synapses()[0], x)));
  EXPECT_EQ(wanted.sizes(), at::IntArrayRef({3, 2, 4, 3, 3}));
  EXPECT_GT(wanted.sum().item<float>(), 0);
  EXPECT_TRUE(tensors_identical(network->forward(pass, x), wanted));
}

// The largest of a map is 1 at the first step and 2 at the second; the sum makes 21 of 1, the vote
// (1 + 3) / 2 of it.
TEST(Pass, PoolsSumsAndVotesAreWhatTheyAreCalled) {
  TinyGraph graph(1, 2, 2);
  const auto a = graph.synapse("a", at::ones({1, 1, 1, 1}));
  const auto b = graph.synapse_of(0, "b", at::full({1, 1, 1, 1}, 10.0f));
  graph.sum({a, b, b});
  graph.pool(graph::PoolKind::kMax);
  graph.flatten();
  graph.synapse("fc", floats({1, 3}, {2, 1, 1, 1}));
  graph.vote(2);
  RunPass pass(false);
  const Tensor x = floats({1, 0, 0, 0, 2, 1, 1, 0}, {2, 1, 1, 2, 2});
  EXPECT_TRUE(
      tensors_identical(graph.make()->forward(pass, x).detach(), floats({42, 84}, {2, 1, 1})));
}

TEST(Pass, ABiasIsAddedToEveryStepAndSample) {
  graph::Graph graph("test", {7, 1, 1}, {"only"});
  const auto row = graph.add("flatten", graph::Flatten{}, {0});
  graph.add("head", graph::Synapse{.shape = {5, 7, 1, 1}, .bias = true}, {row});
  Network network(graph);
  RunPass pass(false);
  EXPECT_TRUE(tensors_identical(network.forward(pass, at::zeros({2, 3, 7})),
                                network.synapses()[0].bias.expand({2, 3, 5}).contiguous()));
}

// Values are let go as soon as nobody reads them: the network holds none, the pass neither.
TEST(Pass, NothingOfAForwardIsKeptWithoutAGradient) {
  const at::NoGradGuard no_grad;
  TinyGraph graph(1, 2, 2);
  graph.synapse("a", at::ones({1, 1, 1, 1}));
  graph.neuron("n");
  const auto network = graph.make();
  RunPass pass(false);
  const Tensor x = at::ones({1, 1, 1, 2, 2});
  (void)network->forward(pass, x);
  EXPECT_EQ(x.use_count(), 1u);
}

}  // namespace
}  // namespace spikenm::nn
