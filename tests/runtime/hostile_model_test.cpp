// Models that are valid and mean harm: constants at the edge of floats, states of the caller's, and few bytes
// that ask for much memory.
#include "spikenm/runtime/session.h"
#include "support/expect_error.h"
#include "support/graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>

namespace spikenm::runtime {
namespace {

// One channel of neurons between two synapses; weights are 0 before them and 1 behind.
StoredModel narrow_model(WeightType type, double threshold, double v_reset) {
  graph::Graph graph("narrow", {1, 12, 12}, {"a", "b"});
  graph::Neuron neuron;
  neuron.params.neuron = graph::NeuronKind::kIf;
  neuron.params.threshold = threshold;
  neuron.params.v_reset = v_reset;
  const auto fire = graph.add("fire", neuron, {graph.add("conv1", test::synapse_of(1), {0})});
  const auto last = graph.add("conv2", test::synapse_of(2, 3), {fire});
  graph.add("mean", graph::Mean{}, {last});
  graph.finish();
  StoredModel model = test::random_model(std::move(graph), {.steps = 8});
  model.synapses.at(1) = pack_synapse(std::vector<float>(1), {}, {1, 1, 1, 1}, std::nullopt,
                                      WeightType::kFloat, "conv1");
  model.synapses.at(3) =
      pack_synapse(std::vector<float>(18, 1.0f), {}, {2, 1, 3, 3}, std::nullopt, type, "conv2");
  return model;
}

// Outputs come 64 at a time; those behind the last channel stay silent, whatever the constants are.
TEST(HostileModel, NothingFiresBehindTheLastChannel) {
  constexpr std::pair<double, double> kConstants[] = {
      {1e38, 0.99999999999999e38}, {1e300, 9e299}, {1, 0.999999999999}, {1e-40, 0}};
  for (const WeightType type : {WeightType::kInt8, WeightType::kFloat})
    for (const auto& [threshold, v_reset] : kConstants) {
      const auto model = std::make_shared<const Model>(narrow_model(type, threshold, v_reset));
      const std::vector<float> input(static_cast<size_t>(model->frames() * model->frame_size()));
      std::vector<float> wanted;
      for (const Isa isa : supported_isas()) {
        Session session(model, {.isa = isa});
        const std::span<const float> scores = session.run(input);
        EXPECT_LE(session.firing_rate(2), 1) << threshold;
        if (wanted.empty()) wanted.assign(scores.begin(), scores.end());
        for (size_t k = 0; k < wanted.size(); ++k) EXPECT_EQ(scores[k], wanted[k]) << threshold;
      }
    }
}

TEST(HostileModel, NothingFiresBehindTheLastChannelInAnyState) {
  const auto model = std::make_shared<const Model>(narrow_model(WeightType::kInt8, 1, 0));
  const std::vector<float> frame(static_cast<size_t>(model->frame_size()));
  for (const float state : {INFINITY, 3e38f, NAN})
    for (const Isa isa : supported_isas()) {
      Session session(model, {.isa = isa});
      std::ranges::fill(session.state(), state);
      session.step(frame);
      EXPECT_EQ(session.firing_rate(2), std::isnan(state) ? 0 : 1);
    }
}

// 64 inputs for each byte of weights, and 64 outputs of four bytes for each.
TEST(HostileModel, WeightsThatGrowTooMuchAreRefused) {
  graph::Graph graph("wide", {1, 640, 640}, {"a", "b"});
  graph.add("fc", test::synapse_of(2), {graph.add("flatten", graph::Flatten{}, {0})});
  graph.finish();
  StoredModel model = test::random_model(std::move(graph));
  const WeightRule rule{{1, 64, 1}, nm::Axis::kIn, false};
  const nm::WeightShape shape{2, 640 * 640, 1, 1};
  model.synapses.at(2) =
      pack_synapse(std::vector<float>(static_cast<size_t>(shape.numel())),
                   test::random_keep(shape, rule, 1), shape, rule, WeightType::kInt8, "fc");
  EXPECT_ERROR(Model(std::move(model)), "'fc'", "would take 100 MB laid out to run",
               "with 12800 bytes of weights in all");
}

// Nothing but zeros: a bit for each weight, and no value.
TEST(HostileModel, BitsThatGrowTooMuchAreRefused) {
  graph::Graph graph("wide", {1, 1024, 1024}, {"a", "b"});
  graph.add("fc", test::synapse_of(2), {graph.add("flatten", graph::Flatten{}, {0})});
  graph.finish();
  StoredModel model = test::random_model(std::move(graph));
  const nm::WeightShape shape{2, 1024 * 1024, 1, 1};
  const auto numel = static_cast<size_t>(shape.numel());
  model.synapses.at(2) = pack_synapse(std::vector<float>(numel), std::vector<uint8_t>(numel), shape,
                                      std::nullopt, WeightType::kInt8, "fc");
  ASSERT_TRUE(model.synapses.at(2).as_bits);
  EXPECT_ERROR(Model(std::move(model)), "'fc'", "with 262144 bytes of weights in all");
}

int64_t resident_mb() {
  int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096 / 1'000'000;
}

// 270 MB of membranes behind 64 weights.
TEST(HostileModel, AStreamThatNobodyReadsTakesNoMemory) {
  graph::Graph graph("padded", {1, 1, 1}, {"a", "b"});
  graph::Synapse conv = test::synapse_of(64);
  conv.geometry.padding = 511;
  const auto fire = graph.add("fire", graph::Neuron{}, {graph.add("conv", conv, {0})});
  graph.add("fc", test::synapse_of(2), {graph.add("mean", graph::Mean{}, {fire})});
  graph.finish();
  const auto model = std::make_shared<const Model>(test::random_model(std::move(graph)));
  const int64_t before = resident_mb();
  Session session(model);
  session.reset();
  EXPECT_LT(resident_mb() - before, 100);
}

// Their rates are found once, not once a pixel and pool.
TEST(HostileModel, AChainOfPoolsLoadsAtOnce) {
  graph::Graph graph("chain", {1, 1, 2000}, {"a", "b"});
  auto below = graph.add("fire", graph::Neuron{}, {graph.add("conv", test::synapse_of(1), {0})});
  std::vector<graph::NodeId> ends;
  for (int i = 0; i < 400; ++i) {
    below = graph.add(fmt::format("pool{}", i),
                      graph::Pool{.kind = graph::PoolKind::kMax, .size = 1, .stride = 1}, {below});
    ends.push_back(graph.add(fmt::format("conv{}", i), test::synapse_of(2), {below}));
  }
  graph.add("mean", graph::Mean{}, {graph.add("sum", graph::Sum{}, ends)});
  graph.finish();
  StoredModel stored = test::random_model(std::move(graph));
  const auto begin = std::chrono::steady_clock::now();
  const Model model(std::move(stored));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 2) << "5 s where each pixel walked the chain";
}

TEST(HostileModel, ValuesOfASampleThatDidNotRunAreRefused) {
  const auto model = std::make_shared<const Model>(narrow_model(WeightType::kInt8, 1, 0));
  Session session(model, {.batch = 3});
  session.run(std::vector<float>(static_cast<size_t>(2 * model->frames() * model->frame_size())),
              2);
  EXPECT_FALSE(session.values(2, 1).empty());
  EXPECT_ERROR(static_cast<void>(session.values(2, 2)), "found sample 2, wanted one of 2");
  EXPECT_ERROR(static_cast<void>(session.values(2, -1)), "found sample -1");
}

}  // namespace
}  // namespace spikenm::runtime
