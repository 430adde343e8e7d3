#include "spikenm/metrics/sparsity_audit.h"

#include "support/tiny_network.h"

#include <gtest/gtest.h>

namespace spikenm::metrics {
namespace {

using sparsity::LayerMask;

// The mask of a layer under 2:4, axis flat.
LayerMask mask_of(nn::Synapse& synapse, std::vector<uint8_t> keep) {
  const nm::NmPattern pattern{.n = 2, .m = 4};
  return sparsity::make_layer_mask(
      synapse, {.kind = nm::Mask::Kind::kNm,
                .pattern = pattern,
                .layout = nm::make_layout(synapse.shape(), pattern, nm::Axis::kFlat, synapse.name),
                .keep = std::move(keep)});
}

// Ten weights and four, and a head that may not be masked.
std::unique_ptr<nn::Network> make_layers() {
  test::TinyGraph graph(10, 1, 2);
  graph.synapse("a", at::zeros({1, 10, 1, 1}));
  graph.flatten();
  graph.synapse("b", at::zeros({2, 2, 1, 1}));
  graph.synapse("head", at::zeros({5, 2, 1, 1}), {}, /*maskable=*/false);
  return graph.make();
}

struct TwoLayers {
  std::unique_ptr<nn::Network> network = make_layers();
  nn::Synapse& a = network->synapses()[0];
  nn::Synapse& b = network->synapses()[1];
};

// "a": blocks keep 2 and 1, the tail of 2 is kept: 5 of 10. "b": 2 of 4. Together 7 of 14.
TEST(SparsityAudit, WeightPercentCountsTailsAsKept) {
  TwoLayers net;
  const SparsityAudit found =
      audit_masks({mask_of(net.a, {1, 1, 0, 0, 0, 1, 0, 0, 1, 1}), mask_of(net.b, {1, 0, 0, 1})});
  ASSERT_EQ(found.layers.size(), 2u);
  EXPECT_EQ(found.layers[0].name, "a");
  EXPECT_EQ(found.layers[0].audit.tail, 2);
  EXPECT_EQ(found.layers[0].audit.kept, 5);
  EXPECT_EQ(found.layers[1].name, "b");
  EXPECT_EQ(found.weight_percent(), 50);
  EXPECT_TRUE(found.valid());
  EXPECT_EQ(found.empty_blocks(), 0);
}

// 4 of 10 and 1 of 4: weights are counted, not layers averaged (that would be 32.5).
TEST(SparsityAudit, WeightPercentIsOverAllWeightsTogether) {
  TwoLayers net;
  const SparsityAudit found =
      audit_masks({mask_of(net.a, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1}), mask_of(net.b, {1, 0, 0, 0})});
  EXPECT_DOUBLE_EQ(found.weight_percent(), 100 * 5.0 / 14);
}

// "a" keeps 4 of 10; "b", left dense, all of its 4: 8 of 14. A head that may not be masked counts
// in neither.
TEST(SparsityAudit, WeightPercentOfAllCountsLayersLeftDense) {
  TwoLayers net;
  const LayerMask mask = mask_of(net.a, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1});
  const SparsityAudit found = audit_network(*net.network, {mask});
  EXPECT_DOUBLE_EQ(found.weight_percent(), 40);
  EXPECT_DOUBLE_EQ(found.weight_percent_all(), 100 * 8.0 / 14);
  const SparsityAudit both = audit_network(*net.network, {mask, mask_of(net.b, {1, 0, 0, 1})});
  EXPECT_EQ(both.weight_percent_all(), both.weight_percent());
  EXPECT_EQ(audit_network(*net.network, {}).weight_percent_all(), 100);
}

TEST(SparsityAudit, EmptyBlocksAreCountedOverLayersAndAllowed) {
  TwoLayers net;
  const SparsityAudit found =
      audit_masks({mask_of(net.a, {0, 0, 0, 0, 0, 1, 0, 0, 1, 1}), mask_of(net.b, {0, 0, 0, 0})});
  EXPECT_EQ(found.empty_blocks(), 2);
  EXPECT_TRUE(found.valid());
}

TEST(SparsityAudit, OneFullBlockOrDroppedTailInAnyLayerIsFound) {
  TwoLayers net;
  const LayerMask good = mask_of(net.b, {1, 0, 0, 1});
  EXPECT_FALSE(audit_masks({mask_of(net.a, {1, 1, 1, 0, 0, 1, 0, 0, 1, 1}), good}).valid());
  EXPECT_FALSE(audit_masks({mask_of(net.a, {1, 1, 0, 0, 0, 1, 0, 0, 1, 0}), good}).valid());
  EXPECT_FALSE(audit_masks({good, mask_of(net.a, {1, 1, 0, 0, 1, 1, 1, 1, 1, 1})}).valid());
}

TEST(SparsityAudit, WithoutMasksEverythingIsKept) {
  const SparsityAudit found = audit_masks({});
  EXPECT_EQ(found.weight_percent(), 100);
  EXPECT_TRUE(found.valid());
  EXPECT_EQ(found.empty_blocks(), 0);
}

// 3 of 4 and 1 of 2: 4 of 6 together.
TEST(NeuronAudit, PercentIsOverTheNeuronsOfMaskedLayers) {
  test::TinyGraph graph;
  for (const char* name : {"a", "b", "not_masked"}) graph.neuron(name);
  const auto network = graph.make();
  nn::Neuron &a = network->neurons()[0], &b = network->neurons()[1];
  const NeuronAudit found =
      audit_neurons({{.neuron = &a, .keep = test::floats({1, 0, 1, 1}, {1, 2, 2})},
                     {.neuron = &b, .keep = test::floats({0, 1}, {2, 1, 1})}});
  ASSERT_EQ(found.layers.size(), 2u);
  EXPECT_EQ(found.layers[0].name, "a");
  EXPECT_EQ(found.layers[0].percent(), 75);
  EXPECT_EQ(found.layers[1].percent(), 50);
  EXPECT_DOUBLE_EQ(found.percent(), 400 / 6.0);
}

TEST(NeuronAudit, WithoutMasksEverythingIsKept) {
  EXPECT_EQ(audit_neurons({}).percent(), 100);
}

}  // namespace
}  // namespace spikenm::metrics
