// What is one call on a GPU.
#include "spikenm/nn/plan.h"

#include "spikenm/kernels/norm_neuron.h"
#include "support/model_network.h"
#include "support/plans.h"

namespace spikenm::nn {
namespace {

using graph::NeuronKind;
using test::chain_of;
using test::Groups;
using test::groups;
using test::kConv;
using test::pooled;

const ops::Place kGpu{.device = at::kCUDA, .type = at::kBFloat16, .steps = 4};

TEST(CudaPlan, ThePoolIsPartOfItsNeurons) {
  EXPECT_EQ(groups(pooled(), kGpu), (Groups{{"conv"}, {"norm", "fire", "pool"}, {"flatten"}}));
  const PlanStep step = make_plan(pooled(), kGpu).steps[1];
  EXPECT_EQ(step.node, 4u);
  EXPECT_EQ(step.input, 1u);
  EXPECT_EQ(step.norm, std::optional<graph::NodeId>(2));
  EXPECT_EQ(step.neurons, std::optional<graph::NodeId>(3));
  EXPECT_EQ(step.pool, std::optional<graph::NodeId>(4));
  EXPECT_FALSE(step.bits);  // a pool leaves none
  EXPECT_EQ(step.finished, (std::vector<graph::NodeId>{1, 2, 3}));
}

// Somebody else wants the spikes, which in one call with the pool would never exist.
TEST(CudaPlan, APoolOfSpikesThatAreReadTwiceIsItsOwn) {
  graph::Graph graph = pooled();
  graph.add("row", graph::Flatten{}, {3});
  EXPECT_EQ(groups(graph, kGpu)[1], (std::vector<std::string>{"norm", "fire"}));
}

TEST(CudaPlan, APoolOfAnotherSizeIsItsOwn) {
  const graph::Graph graph = chain_of(
      {{"conv", kConv}, {"fire", graph::Neuron{}}, {"pool", graph::Pool{.size = 3, .stride = 3}}});
  EXPECT_EQ(groups(graph, kGpu), (Groups{{"conv"}, {"fire"}, {"pool"}}));
}

TEST(CudaPlan, LearntLeaksSecondStatesAndLongSequencesAreNotFused) {
  const Groups alone{{"conv"}, {"norm"}, {"fire"}, {"pool"}, {"flatten"}};
  ops::Place longest = kGpu;
  longest.steps = kernels::kMaxFusedSteps;
  EXPECT_EQ(groups(pooled(), longest)[1], (std::vector<std::string>{"norm", "fire"}));
  ++longest.steps;
  EXPECT_EQ(groups(pooled(), longest), alone);
  EXPECT_EQ(groups(pooled(NeuronKind::kPlif), kGpu), alone);
  EXPECT_EQ(groups(pooled(NeuronKind::kCubaLif), kGpu), alone);
}

TEST(CudaPlan, EveryNodeIsInOneStepAndItsValueLivesAsLongAsItIsRead) {
  for (const std::string& name : graph::models().names())
    for (const graph::NeuronTraits& kind : graph::neuron_kinds()) {
      SCOPED_TRACE(name);
      test::expect_sound(test::small_model(name, test::deep_spec(kind.kind)), kGpu);
    }
}

}  // namespace
}  // namespace spikenm::nn
