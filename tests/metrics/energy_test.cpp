#include "spikenm/metrics/energy.h"

#include "support/tiny_network.h"

#include <gtest/gtest.h>

namespace spikenm::metrics {
namespace {

using test::TinyGraph;

const sparsity::Connectivity kConnections{.layers = {{.name = "first", .alive = 30, .dense = 40},
                                                     {.name = "second", .alive = 7, .dense = 8}}};
const at::Tensor kWeight = at::zeros({1, 1, 1, 1});

double macs(const TinyGraph& graph, bool static_image) {
  return analog_macs(graph.make()->graph(), kConnections, /*T=*/10, static_image);
}

TEST(Energy, EventFramesAreMultipliedAtEveryStepAndImagesOnce) {
  TinyGraph graph;
  graph.synapse("first", kWeight);
  graph.neuron("fire");
  graph.synapse("second", kWeight);
  EXPECT_EQ(macs(graph, /*static_image=*/false), 300);
  EXPECT_EQ(macs(graph, /*static_image=*/true), 30);
}

TEST(Energy, EveryLayerThatReadsTheInputMultiplies) {
  TinyGraph graph;
  const auto first = graph.synapse("first", kWeight);
  graph.sum({first, graph.synapse_of(0, "second", kWeight)});
  graph.neuron("fire");
  EXPECT_EQ(macs(graph, false), 370);
  EXPECT_EQ(macs(graph, true), 37);
}

// No neurons between the two: the second reads values too, the same at every step of an image.
TEST(Energy, ALayerThatReadsAnotherLayersValuesMultiplies) {
  TinyGraph graph;
  graph.synapse("first", kWeight);
  graph.synapse("second", kWeight);
  EXPECT_EQ(macs(graph, false), 370);
  EXPECT_EQ(macs(graph, true), 37);
}

// What a layer makes of spikes changes from step to step, image or not.
TEST(Energy, ValuesMadeOfSpikesAreMultipliedAtEveryStep) {
  TinyGraph graph;
  graph.neuron("fire");
  graph.synapse("first", kWeight);
  graph.synapse("second", kWeight);
  EXPECT_EQ(macs(graph, false), 70);
  EXPECT_EQ(macs(graph, true), 70);
}

TEST(Energy, AFirstLayerThatIsNotCountedCostsNothing) {
  TinyGraph graph;
  graph.synapse("readout", kWeight);
  EXPECT_EQ(analog_macs(graph.make()->graph(), {}, 10, false), 0);
}

// 2 million SOPs at 0.9 pJ and half a million MACs at 4.6 pJ: 1.8 + 2.3 microjoules.
TEST(Energy, IsThatOfTheConvention) {
  EXPECT_DOUBLE_EQ(energy_microjoules(2e6, 5e5), 4.1);
  EXPECT_DOUBLE_EQ(energy_microjoules(1e6, 0), 0.9);
  EXPECT_EQ(energy_microjoules(0, 0), 0);
}

}  // namespace
}  // namespace spikenm::metrics
