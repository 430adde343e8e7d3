#include "spikenm/nn/plan.h"

#include "support/model_network.h"
#include "support/plans.h"

namespace spikenm::nn {
namespace {

using graph::Graph;
using graph::NeuronKind;
using graph::NodeId;
using test::chain_of;
using test::expect_sound;
using test::Groups;
using test::groups;
using test::kConv;
using test::pooled;

const ops::Place kCpu{.device = at::kCPU, .steps = 4};
const ops::Place kCpuDouble{.device = at::kCPU, .type = at::kDouble, .steps = 4};

TEST(Plan, OnTheCpuNormAndNeuronsAreOneStepAndThePoolIsItsOwn) {
  EXPECT_EQ(groups(pooled(), kCpu), (Groups{{"conv"}, {"norm", "fire"}, {"pool"}, {"flatten"}}));
  const PlanStep step = make_plan(pooled(), kCpu).steps[1];
  EXPECT_EQ(step.norm, std::optional<NodeId>(2));
  EXPECT_EQ(step.neurons, std::optional<NodeId>(3));
  EXPECT_EQ(step.pool, std::nullopt);
  EXPECT_EQ(step.input, 1u);
}

TEST(Plan, DoublesAreNotFused) {
  const Groups alone{{"conv"}, {"norm"}, {"fire"}, {"pool"}, {"flatten"}};
  EXPECT_EQ(groups(pooled(), kCpuDouble), alone);
  for (const PlanStep& step : make_plan(pooled(), kCpuDouble).steps)
    EXPECT_FALSE(step.norm || step.neurons || step.pool);
}

// What the plan of a GPU needs no GPU for.
TEST(Plan, SpikesComeWithBitsWhereASynapseReadsThem) {
  const ops::Place gpu{.device = at::kCUDA, .type = at::kBFloat16, .steps = 4};
  const auto bits = [](const Graph& graph, const ops::Place& place) {
    std::vector<std::string> names;
    for (const PlanStep& step : make_plan(graph, place).steps)
      if (step.bits) names.push_back(graph.node(step.node).name);
    return names;
  };
  using Names = std::vector<std::string>;
  const graph::Synapse odd{.shape = {9, 8, 1, 1}}, back{.shape = {8, 9, 1, 1}};
  const Graph chain = chain_of({{"conv", kConv},
                                {"norm", graph::Norm{}},
                                {"read", graph::Neuron{}},
                                {"odd", odd},  // 9 channels fill no bytes
                                {"unpacked", graph::Neuron{}},
                                {"back", back},
                                {"flattened", graph::Neuron{}},
                                {"row", graph::Flatten{}}});
  EXPECT_EQ(bits(chain, gpu), Names{"read"});
  EXPECT_EQ(bits(chain, kCpu), Names{});
}

TEST(Plan, LearntLeaksAndSecondStatesAreNotFused) {
  const Groups alone{{"conv"}, {"norm"}, {"fire"}, {"pool"}, {"flatten"}};
  EXPECT_EQ(groups(pooled(NeuronKind::kPlif), kCpu), alone);
  EXPECT_EQ(groups(pooled(NeuronKind::kCubaLif), kCpu), alone);
  EXPECT_EQ(groups(pooled(NeuronKind::kIf), kCpu), groups(pooled(), kCpu));
}

TEST(Plan, NeuronsWithoutANormAreOneCallToo) {
  const Graph graph = chain_of({{"conv", kConv}, {"fire", graph::Neuron{}}});
  EXPECT_EQ(groups(graph, kCpu), (Groups{{"conv"}, {"fire"}}));
  const PlanStep step = make_plan(graph, kCpu).steps[1];
  EXPECT_EQ(step.neurons, std::optional<NodeId>(2));
  EXPECT_EQ(step.norm, std::nullopt);
}

TEST(Plan, ANormWithoutNeuronsIsItsOwn) {
  const Graph graph =
      chain_of({{"conv", kConv}, {"norm", graph::Norm{}}, {"flatten", graph::Flatten{}}});
  EXPECT_EQ(groups(graph, kCpu), (Groups{{"conv"}, {"norm"}, {"flatten"}}));
  EXPECT_EQ(groups(chain_of({{"conv", kConv}, {"norm", graph::Norm{}}}), kCpu),
            (Groups{{"conv"}, {"norm"}}));
}

// The norm's own value is wanted by the sum.
TEST(Plan, ANormThatSomebodyElseReadsIsNotFused) {
  Graph graph = chain_of({{"conv", kConv}, {"norm", graph::Norm{}}, {"fire", graph::Neuron{}}});
  graph.add("sum", graph::Sum{}, {2, 3});
  EXPECT_EQ(groups(graph, kCpu), (Groups{{"conv"}, {"norm"}, {"fire"}, {"sum"}}));
  expect_sound(graph, kCpu);
}

// A reader that comes later is not drawn into the step: conv2 stands between the norm and fire.
TEST(Plan, OnlyTheNextNodeIsFused) {
  Graph graph("test", {8, 6, 6}, {"only"});
  const NodeId conv = graph.add("conv", kConv, {0}),
               norm = graph.add("norm", graph::Norm{}, {conv});
  const NodeId other = graph.add("conv2", kConv, {0});
  const NodeId fire = graph.add("fire", graph::Neuron{}, {norm});
  graph.add("sum", graph::Sum{}, {fire, other});
  EXPECT_EQ(groups(graph, kCpu), (Groups{{"conv"}, {"norm"}, {"conv2"}, {"fire"}, {"sum"}}));
  expect_sound(graph, kCpu);
}

TEST(Plan, SpikesOfTwoReadersAreKeptUntilTheSecond) {
  Graph graph = pooled();
  const NodeId fire = 3, first = graph.nodes().size() - 1;
  const NodeId second = graph.add("row", graph::Flatten{}, {fire});
  const NodeId fc =
      graph.add("fc", graph::Synapse{.shape = {graph.node(first).out.channels, 0, 1, 1}}, {second});
  graph.add("sum", graph::Sum{}, {first, fc});
  for (const PlanStep& step : make_plan(graph, kCpu).steps)
    EXPECT_EQ(std::ranges::count(step.finished, fire) == 1, step.node == second);
  expect_sound(graph, kCpu);
}

TEST(Plan, AValueIsFinishedByItsLastReader) {
  const Graph graph = pooled();
  const Plan plan = make_plan(graph, kCpu);
  using Ids = std::vector<NodeId>;
  EXPECT_EQ(plan.steps[0].finished, (Ids{0}));
  EXPECT_EQ(plan.steps[1].finished, (Ids{1, 2}));  // the norm's value never is
  EXPECT_EQ(plan.steps[2].finished, (Ids{3}));
  EXPECT_EQ(plan.steps[3].finished, (Ids{4}));
}

TEST(Plan, EveryNodeIsInOneStepAndItsValueLivesAsLongAsItIsRead) {
  for (const std::string& name : graph::models().names())
    for (const graph::NeuronTraits& kind : graph::neuron_kinds())
      for (const ops::Place& place : {kCpu, kCpuDouble}) {
        SCOPED_TRACE(name);
        expect_sound(test::small_model(name, test::deep_spec(kind.kind)), place);
      }
}

}  // namespace
}  // namespace spikenm::nn
