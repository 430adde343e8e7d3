#include "spikenm/graph/kept.h"

#include "support/graphs.h"

#include <gtest/gtest.h>

namespace spikenm::graph {
namespace {

using test::synapse_of;
using Places = std::vector<uint8_t>;

// A 1x1 layer on one channel of side x side, and what `add` puts behind it.
struct Chain {
  explicit Chain(int64_t side) : graph("net", {1, side, side}, {"only"}) {
    last = graph.add("conv", synapse_of(1), {0});
  }
  void add(const char* name, const Operation& operation) {
    last = graph.add(name, operation, {last});
  }
  // Of the layer, where `neurons` keep these.
  [[nodiscard]] Places useful(const char* neurons, Places keep) const {
    Kept kept = all_kept(graph);
    kept[graph.find(neurons).value()] = std::move(keep);
    return useful_values(graph, kept)[1];
  }

  Graph graph;
  NodeId last = 0;
};

TEST(UsefulValues, AreAllWhereNothingIsDropped) {
  Chain chain(2);
  chain.add("fire", Neuron{});
  for (const Places& places : useful_values(chain.graph, all_kept(chain.graph)))
    EXPECT_TRUE(places.empty());
}

TEST(UsefulValues, AreThoseOfNeuronsBehindANorm) {
  Chain chain(2);
  chain.add("norm", Norm{});
  chain.add("fire", Neuron{});
  EXPECT_EQ(chain.useful("fire", {1, 0, 0, 1}), (Places{1, 0, 0, 1}));
}

TEST(UsefulValues, OfAPoolAreThoseOfAnyWindowThatIsKept) {
  Chain chain(3);
  chain.add("pool", Pool{.kind = PoolKind::kMax, .size = 2, .stride = 1});
  chain.add("fire", Neuron{});
  EXPECT_EQ(chain.useful("fire", {1, 0, 0, 0}), (Places{1, 1, 0, 1, 1, 0, 0, 0, 0}));
}

// The third row and column are read by nobody, with masks or without.
TEST(UsefulValues, ThoseThatNoWindowReadsAreNotDropped) {
  Chain chain(3);
  chain.add("pool", Pool{});
  chain.add("fire", Neuron{});
  EXPECT_EQ(chain.useful("fire", {0}), (Places{0, 0, 1, 0, 0, 1, 1, 1, 1}));
}

TEST(UsefulValues, FollowMeansAndVotes) {
  Chain mean(2);
  mean.add("mean", Mean{});
  mean.add("fire", Neuron{});
  EXPECT_EQ(mean.useful("fire", {0}), (Places{0, 0, 0, 0}));

  Chain vote(2);
  vote.add("row", Flatten{});
  vote.add("vote", Vote{.voters = 2});
  vote.add("fire", Neuron{});
  EXPECT_EQ(vote.useful("fire", {0, 1}), (Places{0, 0, 1, 1}));
}

TEST(UsefulValues, OfTwoReadersAreThoseOfEither) {
  Chain chain(2);
  const NodeId conv = chain.last;
  chain.add("a", Neuron{});
  chain.graph.add("b", Neuron{}, {conv});
  Kept kept = all_kept(chain.graph);
  kept[2] = {1, 0, 0, 0};
  EXPECT_TRUE(useful_values(chain.graph, kept)[conv].empty());  // b keeps all
  kept[3] = {0, 0, 1, 0};
  EXPECT_EQ(useful_values(chain.graph, kept)[conv], (Places{1, 0, 1, 0}));
}

TEST(UsefulValues, ASynapseReadsEverything) {
  Chain chain(2);
  chain.add("next", synapse_of(1));
  chain.add("fire", Neuron{});
  EXPECT_TRUE(chain.useful("fire", {0, 0, 0, 0}).empty());
}

}  // namespace
}  // namespace spikenm::graph
