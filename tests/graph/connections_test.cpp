// Of whole networks: tests/sparsity/connectivity_test.cpp.
#include "spikenm/graph/connections.h"

#include "spikenm/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace spikenm::graph {
namespace {

std::vector<uint8_t> random_bytes(int64_t n, uint64_t seed, double share) {
  const RandomAddress random(seed, 0);
  std::vector<uint8_t> bytes(static_cast<size_t>(n));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = random.uniform(i, 0, 1) < share ? 1 : 0;
  return bytes;
}

struct Case {
  Shape in;
  Synapse synapse;
};

// The definition, weight by weight: live [Cin,H,W], keep [Cout,Cin,kh,kw].
template <class Live>
double by_definition(const Case& c, const std::vector<Live>& live,
                     const std::vector<uint8_t>& keep) {
  const nm::WeightShape& w = c.synapse.shape;
  const SynapseGeometry& g = c.synapse.geometry;
  double sum = 0;
  size_t weight = 0;
  for (int64_t o = 0; o < w.cout; ++o)
    for (int64_t channel = 0; channel < w.cin; ++channel)
      for (int64_t i = 0; i < w.kh; ++i)
        for (int64_t j = 0; j < w.kw; ++j, ++weight)
          for (int64_t y = 0; y < g.out(c.in.height, w.kh); ++y)
            for (int64_t x = 0; x < g.out(c.in.width, w.kw); ++x) {
              const int64_t row = y * g.stride + i - g.padding,
                            column = x * g.stride + j - g.padding;
              if (row < 0 || row >= c.in.height || column < 0 || column >= c.in.width) continue;
              const int64_t place = (channel * c.in.height + row) * c.in.width + column;
              sum += keep[weight] * live[static_cast<size_t>(place)];
            }
  return sum;
}

// Kernels that are not square, strides that skip, windows that lie in the padding alone.
const std::vector<Case> kCases{
    {{3, 6, 5}, {.shape = {4, 3, 3, 3}, .geometry = {.stride = 1, .padding = 1}}},
    {{2, 7, 5}, {.shape = {3, 2, 3, 2}, .geometry = {.stride = 2, .padding = 1}}},
    {{2, 5, 8}, {.shape = {3, 2, 1, 1}, .geometry = {.stride = 3, .padding = 0}}},
    {{1, 2, 2}, {.shape = {2, 1, 2, 1}, .geometry = {.stride = 1, .padding = 3}}},
    {{130, 3, 4}, {.shape = {2, 130, 3, 3}, .geometry = {.stride = 1, .padding = 1}}},
    {{5, 1, 1}, {.shape = {7, 5, 1, 1}, .geometry = {}}}};

TEST(CountConnections, EqualsTheDefinitionForAnyMasks) {
  for (const Case& c : kCases) {
    Graph graph("net", {c.in.channels, c.in.height, c.in.width}, {"only"});
    graph.add("fire", Neuron{}, {0});
    graph.add("conv", c.synapse, {1});
    const nm::WeightShape& w = c.synapse.shape;
    const std::vector<uint8_t> live = random_bytes(c.in.values(), 1, 0.6),
                               keep = random_bytes(w.cout * w.cin * w.kh * w.kw, 2, 0.5);
    const std::vector<uint8_t> all_live(live.size(), 1), all_keep(keep.size(), 1);

    for (const bool masks_neurons : {false, true})
      for (const bool masks_weights : {false, true}) {
        Kept kept = all_kept(graph);
        if (masks_neurons) kept[1] = live;
        if (masks_weights) kept[2] = keep;
        const auto found = count_connections(graph, kept);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].synapse, 2u);
        EXPECT_EQ(found[0].dense, by_definition(c, all_live, all_keep));
        EXPECT_EQ(found[0].alive, by_definition(c, masks_neurons ? live : all_live,
                                                masks_weights ? keep : all_keep));
      }
  }
}

// Shares of 49 neurons each have too many values for counts by bits.
TEST(CountConnections, EqualsTheDefinitionBehindALargeAveragePool) {
  const Case c{.in = {20, 4, 4},
               .synapse = {.shape = {3, 20, 3, 3}, .geometry = {.stride = 1, .padding = 1}}};
  const Pool pool{.kind = PoolKind::kAverage, .size = 7, .stride = 2};
  Graph graph("net", {20, 13, 13}, {"only"});
  graph.add("fire", Neuron{}, {0});
  graph.add("pool", pool, {1});
  graph.add("conv", c.synapse, {2});
  ASSERT_EQ(graph.node(2).out, c.in);

  Kept kept = all_kept(graph);
  for (uint64_t channel = 0; channel < 20; ++channel)  // each channel keeps another share
    std::ranges::copy(random_bytes(13 * 13, channel, (static_cast<double>(channel) + 0.5) / 20),
                      std::back_inserter(kept[1]));
  kept[3] = random_bytes(3 * 20 * 9, 2, 0.5);
  std::vector<double> shares(static_cast<size_t>(c.in.values()), 0);
  for_each_covered(pool, graph.node(1).out, c.in,
                   [&](size_t window, size_t value) { shares[window] += kept[1][value] / 49.0; });
  const auto found = count_connections(graph, kept);
  EXPECT_GT(std::set<double>(shares.begin(), shares.end()).size(), 32u);
  EXPECT_NEAR(found[0].alive, by_definition(c, shares, kept[3]), 1e-9);
}

// Nothing of a map's size is held where nothing is masked: these would be 23 million values each.
TEST(CountConnections, OfALargeNetworkWithoutMasksAreAProduct) {
  Graph graph("net", {1, 34, 34}, {"only"});
  const SynapseGeometry same{.stride = 1, .padding = 1};
  const NodeId first = graph.add("a", Synapse{.shape = {20000, 1, 3, 3}, .geometry = same}, {0});
  graph.add("b", Synapse{.shape = {20000, 20000, 3, 3}, .geometry = same},
            {graph.add("fire", Neuron{}, {first})});
  const auto found = count_connections(graph, all_kept(graph));
  EXPECT_EQ(found[0].alive, 20000.0 * 100 * 100);
  EXPECT_EQ(found[1].alive, 20000.0 * 20000 * 100 * 100);
  EXPECT_EQ(found[1].dense, found[1].alive);
}

}  // namespace
}  // namespace spikenm::graph
