#include "spikenm/metrics/energy.h"

#include "support/tiny_network.h"

#include <gtest/gtest.h>

namespace spikenm::metrics {
namespace {

const sparsity::Connectivity kConnections{.layers = {{.name = "first", .alive = 30, .dense = 40},
                                                     {.name = "second", .alive = 7, .dense = 8}}};

TEST(Energy, EventFramesAreMultipliedAtEveryStepAndImagesOnce) {
  test::TinyGraph graph;
  graph.synapse("first", at::zeros({1, 1, 1, 1}));
  graph.synapse("second", at::zeros({1, 1, 1, 1}));
  const auto network = graph.make();
  EXPECT_EQ(first_layer_macs(*network, kConnections, 10, /*static_image=*/false), 300);
  EXPECT_EQ(first_layer_macs(*network, kConnections, 10, /*static_image=*/true), 30);
}

TEST(Energy, AFirstLayerThatIsNotCountedCostsNothing) {
  test::TinyGraph graph;
  graph.synapse("readout", at::zeros({1, 1, 1, 1}));
  const auto network = graph.make();
  EXPECT_EQ(first_layer_macs(*network, kConnections, 10, false), 0);
}

// 2 million SOPs at 0.9 pJ and half a million MACs at 4.6 pJ: 1.8 + 2.3 microjoules.
TEST(Energy, IsThatOfTheConvention) {
  EXPECT_DOUBLE_EQ(energy_microjoules(2e6, 5e5), 4.1);
  EXPECT_DOUBLE_EQ(energy_microjoules(1e6, 0), 0.9);
  EXPECT_EQ(energy_microjoules(0, 0), 0);
}

}  // namespace
}  // namespace spikenm::metrics
