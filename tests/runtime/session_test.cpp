#include "spikenm/runtime/session.h"

#include "spikenm/core/parallel.h"
#include "spikenm/runtime/reference.h"
#include "spikenm/runtime/snm_file.h"
#include "support/expect_error.h"
#include "support/run_graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

#include <thread>

namespace spikenm::runtime {
namespace {

using test::StoredOptions;

std::vector<float> frames_for(const StoredModel& model, int64_t samples = 1) {
  const int64_t frames = model.input.events ? model.steps : 1;
  const RandomAddress random(5, 9);
  std::vector<float> input(
      static_cast<size_t>(samples * frames * model.graph.node(0).out.values()));
  for (size_t i = 0; i < input.size(); ++i)  // counts of events, many of them 0
    input[i] = static_cast<float>(std::max(0.0, std::floor(2 * random.normal(i))));
  return input;
}

std::shared_ptr<const Model> made(const StoredModel& model) {
  return std::make_shared<const Model>(model);
}

int64_t count_spikes(const std::vector<float>& values) {
  return std::count(values.begin(), values.end(), 1.0f);
}

// Every node's values, against the oracle's. Returns the spikes seen.
int64_t expect_equal(const Session& session, const std::vector<std::vector<float>>& wanted,
                     bool exactly, const std::string& name) {
  int64_t spikes = 0;
  for (NodeId id = 1; id < wanted.size(); ++id) {
    const std::vector<float> found = session.values(id);
    if (found.empty()) continue;
    EXPECT_EQ(found.size(), wanted[id].size());
    if (session.model().graph().node(id).as<graph::Neuron>() != nullptr)
      spikes += count_spikes(found);
    for (size_t i = 0; i < found.size(); ++i) {
      if (exactly)
        EXPECT_EQ(found[i], wanted[id][i]) << name << " node " << id << " at " << i;
      else
        EXPECT_NEAR(found[i], wanted[id][i], 1e-4) << name << " node " << id << " at " << i;
      if (testing::Test::HasFailure()) return spikes;
    }
  }
  return spikes;
}

TEST(Session, GivesTheSpikesAndScoresOfTheReference) {
  const std::vector<StoredOptions> ways_list = test::stored_ways();
  for (const test::NamedGraph& each : test::run_graphs())
    for (const StoredOptions& options : ways_list)
      for (const bool events : {true, false}) {
        StoredModel model = test::random_model(each.graph, options);
        model.input.events = events;
        const std::vector<float> input = frames_for(model);
        const auto shared = made(model);
        const auto values = run_reference(model, input);
        const std::vector<float> wanted = reference_scores(model, input);
        const bool exactly = options.type == WeightType::kInt8 || each.one_source;
        for (const Isa isa : supported_isas()) {
          Session session(shared, {.isa = isa});
          const std::span<const float> scores = session.run(input);
          EXPECT_GT(expect_equal(session, values, exactly, each.name), 20) << each.name;
          for (size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(scores[k], wanted[k], 1e-4);
        }
        ASSERT_FALSE(HasFailure()) << each.name << (events ? " events" : " image") << " way "
                                   << &options - ways_list.data();
      }
}

// Written out once more by hand, without folding.
TEST(Session, ComputesWhatTheFormulasSay) {
  test::GraphMaker m({1, 1, 1}, 1);
  const auto fire = m.unit(0, 1, 1);
  m.add(test::synapse_of(1), {m.add(graph::Flatten{}, {fire})});
  StoredModel model = test::random_model(m.finish(), {.steps = 3});
  const float w = unpack_floats(model.synapses.at(1))[0],
              out = unpack_floats(model.synapses.at(5))[0];
  const FoldedNorm& norm = model.norms.at(2);
  const std::vector<float> input{1, 3, -2};
  double v = 0, total = 0;
  for (const float x : input) {
    const double current = (w * x) * norm.scale[0] + norm.shift[0];
    v = v + 0.5 * (current - v);
    if (v >= 0.5) {
      total += out;
      v = 0;
    }
  }
  Session session(made(model));
  EXPECT_NEAR(session.run(input)[0], total / 3, 1e-6);
}

TEST(Session, AStreamGivesTheScoresOfTheWholeSample) {
  for (const test::NamedGraph& each : test::run_graphs()) {
    const StoredModel model =
        test::random_model(each.graph, {.steps = 5, .type = WeightType::kInt8});
    const std::vector<float> input = frames_for(model);
    Session session(made(model));
    const std::span<const float> whole = session.run(input);
    const std::vector<float> wanted(whole.begin(), whole.end());
    for (int round = 0; round < 2; ++round) {
      session.reset();
      std::vector<double> sum(wanted.size());
      const auto size = static_cast<size_t>(session.model().frame_size());
      for (size_t t = 0; t < 5; ++t) {
        const auto scores = session.step(std::span(input).subspan(t * size, size));
        for (size_t k = 0; k < sum.size(); ++k) sum[k] += scores[k];
        if (t == 2) session.run(input);  // does not touch the stream
      }
      for (size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k] / 5, wanted[k], 1e-5) << each.name;
    }
  }
}

// Where a map is wide, the lists of one step leave room for more rows of pixels at once than those of
// all steps do, and want more memory in all.
TEST(Session, AStreamHasRoomForItsStepsWhereMapsAreWide) {
  test::GraphMaker maker({1, 64, 64});
  const auto small = maker.unit(maker.unit(maker.unit(0, 64), 64), 8, 3, 8);
  maker.add(test::synapse_of(3), {maker.add(graph::Flatten{}, {small})});
  StoredModel model =
      test::random_model(maker.finish(), {.steps = 5,
                                          .rule = WeightRule{{1, 8, 64}, nm::Axis::kIn, false},
                                          .type = WeightType::kInt8});
  model.input.events = true;
  const std::vector<float> input = frames_for(model);
  Session session(made(model)), stream(made(model));
  EXPECT_EQ(session.model().layer(1).plan.kernel, "packed events");
  const std::span<const float> wanted = session.run(input);
  std::vector<double> sum(wanted.size());
  for (size_t t = 0; t < 5; ++t) {
    const auto scores = stream.step(std::span(input).subspan(t * 64 * 64, 64 * 64));
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += scores[k];
  }
  for (size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k] / 5, wanted[k], 1e-5);
}

TEST(Session, TheStateIsAllThatAStreamRemembers) {
  const StoredModel model = test::random_model(test::residual_graph().graph, {.steps = 3});
  const std::vector<float> input = frames_for(model);
  Session session(made(model)), other(made(model));
  const auto frame = std::span(input).first(static_cast<size_t>(session.model().frame_size()));
  session.step(frame);
  std::ranges::copy(session.state(), other.state().begin());
  for (int t = 0; t < 4; ++t) {
    const auto a = session.step(frame), b = other.step(frame);
    EXPECT_TRUE(std::ranges::equal(a, b));
  }
}

TEST(Session, SamplesOfABatchDoNotMix) {
  for (const test::NamedGraph& each : test::run_graphs()) {
    const StoredModel model = test::random_model(each.graph, {.type = WeightType::kInt8});
    const std::vector<float> input = frames_for(model, 3);
    Session batch(made(model), {.batch = 4}), single(made(model));
    const std::span<const float> together = batch.run(input, 3);
    const size_t size = input.size() / 3, classes = together.size() / 3;
    for (size_t i = 0; i < 3; ++i) {
      const auto alone = single.run(std::span(input).subspan(i * size, size));
      for (size_t k = 0; k < classes; ++k)
        EXPECT_EQ(together[i * classes + k], alone[k]) << each.name;
    }
  }
}

TEST(Session, ManySessionsShareAModelOnManyThreads) {
  const StoredModel stored =
      test::random_model(test::residual_graph().graph, {.type = WeightType::kInt8});
  const std::vector<float> input = frames_for(stored);
  const auto model = made(stored);
  Session first(model);
  const auto scores = first.run(input);
  const std::vector<float> wanted(scores.begin(), scores.end());
  std::vector<std::thread> threads;
  std::vector<int> equal(4, 0);
  for (size_t i = 0; i < equal.size(); ++i)
    threads.emplace_back([&, i] {
      Session own(model);
      for (int round = 0; round < 5; ++round)
        equal[i] += std::ranges::equal(own.run(input), wanted);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 5));
}

TEST(Session, ThreadsDoNotChangeTheResult) {
  const StoredModel stored = test::random_model(test::pooled_graph().graph);
  const std::vector<float> input = frames_for(stored);
  const int before = threads();
  std::vector<std::vector<float>> found;
  for (const int n : {1, 4}) {
    set_threads(n);
    Session session(made(stored));
    const auto scores = session.run(input);
    found.emplace_back(scores.begin(), scores.end());
  }
  set_threads(before);
  EXPECT_EQ(found[0], found[1]);
}

TEST(Session, AWrongInputIsRefused) {
  Session session(made(test::random_model(test::chain_graph().graph)));
  EXPECT_ERROR(session.run(std::vector<float>(7)), "session", "7 values", "wanted");
  EXPECT_ERROR(session.run(std::vector<float>(7), 2), "2 samples", "at most 1");
  EXPECT_ERROR(session.step(std::vector<float>(7)), "7 values", "wanted 126");
}

TEST(Session, AFrameTooLargeForTheMachineIsRefused) {
  graph::Graph graph("large", {2, 65536, 65536}, {"a", "b"});
  const auto conv = graph.add("conv", test::synapse_of(1), {0});
  const auto mean = graph.add("mean", graph::Mean{}, {conv});
  graph.add("fc", test::synapse_of(2), {mean});
  EXPECT_ERROR(Session(made(test::random_model(graph, {.steps = 100}))), "session", "GB");
}

// A reader of the format that shares no code with this one, in double, gave the same scores; no
// membrane of these samples comes within 9e-4 of a threshold.
TEST(Session, TheGoldenFilesKeepTheirScoresForEver) {
  const struct {
    const char* file;
    float cat, dog;
  } goldens[] = {{"model_v1.snm", 0.603260346f, 0.810913291f},
                 {"model_v2.snm", -2.124797472f, 1.290977966f}};
  std::vector<float> input;
  for (int i = 0; i < 3 * 2 * 8 * 8; ++i) input.push_back(static_cast<float>(i * 7 % 11) / 2);
  for (const auto& golden : goldens)
    for (const Isa isa : supported_isas()) {
      Session session(Model::load(std::string(SPIKENM_SOURCE_DIR "/tests/golden/") + golden.file),
                      {.isa = isa});
      const std::span<const float> scores = session.run(input);
      EXPECT_NEAR(scores[0], golden.cat, 1e-6) << golden.file << ' ' << isa_name(isa);
      EXPECT_NEAR(scores[1], golden.dog, 1e-6) << golden.file << ' ' << isa_name(isa);
    }
}

TEST(Largest, IsTheFirstOfEquals) {
  EXPECT_EQ(largest(std::vector<float>{1, 3, 3, 2}), 1);
}

}  // namespace
}  // namespace spikenm::runtime
