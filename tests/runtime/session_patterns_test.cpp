// Sessions against the oracle for every kind of pattern: M up to 64 that is or is no power of two, any
// N of it, masks that any number of outputs share. Each runs by every kernel that the plan may choose.
#include "spikenm/runtime/reference.h"
#include "spikenm/runtime/session.h"
#include "support/run_graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

#include <set>

namespace spikenm::runtime {
namespace {

// The numbers of channels are no multiples of 64, of M or of `share`: words, blocks of outputs and
// groups that share a mask all end in the middle. The linear layer reads 1,350 inputs.
graph::Graph network() {
  test::GraphMaker m({2, 5, 6});
  const auto last = m.unit(m.unit(0, 70), 150, 3, 2);
  const auto wide = m.add(test::synapse_of(130), {m.add(graph::Flatten{}, {last})});
  const auto fired = m.add(test::neuron_of(graph::NeuronKind::kLif), {wide});
  m.add(test::synapse_of(3), {fired});
  return m.finish();
}

// Recorded rates: the higher, the more inputs the chosen kernel reads whatever fires.
constexpr double kRates[] = {0.0005, 0.1, 0.4, 1};

std::vector<float> frames_of(const StoredModel& model) {
  const RandomAddress random(5, 9);
  std::vector<float> frames(static_cast<size_t>(model.steps * model.graph.node(0).out.values()));
  for (size_t i = 0; i < frames.size(); ++i)
    frames[i] = static_cast<float>(std::max(0.0, std::floor(2 * random.normal(i))));
  return frames;
}

StoredModel model_of(const WeightRule& rule, WeightType type) {
  // The fewer weights are kept, the larger they are, so that all layers fire.
  const double gain = 1.5 * std::sqrt(static_cast<double>(rule.pattern.m) / rule.pattern.n);
  StoredModel model =
      test::random_model(network(), {.steps = 3, .rule = rule, .type = type, .gain = gain});
  model.input.events = true;
  return model;
}

void set_rates(StoredModel& model, double rate) {
  for (NodeId id = 0; id < model.graph.nodes().size(); ++id)
    if (model.graph.node(id).as<graph::Neuron>() != nullptr) model.rates[id] = rate;
}

class SessionPatterns : public testing::TestWithParam<WeightRule> {
 public:
  // Runs the network at every rate and level; returns the kernels of its convolution and linear layer.
  static std::set<std::string> run_all_ways(StoredModel model) {
    const std::vector<float> frames = frames_of(model);
    const auto wanted = run_reference(model, frames);
    std::set<std::string> kernels;
    for (const double rate : kRates) {
      set_rates(model, rate);
      const auto shared = std::make_shared<const Model>(model);
      for (const size_t layer : {1, 2}) kernels.insert(shared->layer(layer).plan.kernel);
      for (const Isa isa : supported_isas()) {
        Session session(shared, {.isa = isa});
        session.run(frames);
        SCOPED_TRACE(std::string(isa_name(isa)) + ", rate " + std::to_string(rate));
        expect_same_spikes(session, wanted);
      }
    }
    return kernels;
  }

 private:
  static void expect_same_spikes(const Session& session,
                                 const std::vector<std::vector<float>>& wanted) {
    for (NodeId id = 0; id < wanted.size(); ++id) {
      if (session.model().graph().node(id).as<graph::Neuron>() == nullptr) continue;
      const std::vector<float> found = session.values(id);
      EXPECT_EQ(found, wanted[id]) << "node " << id;
      EXPECT_GT(std::count(found.begin(), found.end(), 1.0f), 20) << "node " << id;
    }
  }
};

TEST_P(SessionPatterns, Int8GivesTheSpikesOfTheReferenceByEveryKernel) {
  const std::set<std::string> kernels = run_all_ways(model_of(GetParam(), WeightType::kInt8));
  const int share = GetParam().pattern.share;
  EXPECT_TRUE(kernels.contains(share % 64 == 0 ? "packed events" : "events"));
  if (share == 1 && kernels::has_byte_products()) {
    EXPECT_TRUE(kernels.contains("packed") || kernels.contains("dense"));
  }
}

TEST_P(SessionPatterns, FloatsGiveTheSpikesOfTheReference) {
  run_all_ways(model_of(GetParam(), WeightType::kFloat));
}

std::string name_of(const testing::TestParamInfo<WeightRule>& info) {
  const auto& [pattern, axis, taps] = info.param;
  return std::to_string(pattern.n) + "of" + std::to_string(pattern.m) + "share" +
         std::to_string(pattern.share) + std::string(nm::axis_name(axis)) + (taps ? "taps" : "");
}

constexpr auto kIn = nm::Axis::kIn, kFlat = nm::Axis::kFlat;

INSTANTIATE_TEST_SUITE_P(
    Rules, SessionPatterns,
    testing::Values(WeightRule{{1, 3, 1}, kIn, false}, WeightRule{{3, 5, 3}, kIn, false},
                    WeightRule{{7, 12, 96}, kIn, true}, WeightRule{{5, 48, 128}, kIn, false},
                    WeightRule{{1, 63, 64}, kIn, true}, WeightRule{{9, 64, 64}, kIn, false},
                    WeightRule{{10, 64, 64}, kIn, false}, WeightRule{{33, 64, 128}, kIn, true},
                    WeightRule{{64, 64, 3}, kIn, false}, WeightRule{{16, 32, 96}, kIn, false},
                    WeightRule{{2, 4, 128}, kIn, false}, WeightRule{{3, 7, 1}, kFlat, false},
                    WeightRule{{11, 64, 1}, kFlat, false}, WeightRule{{3, 10, 64}, kFlat, false}),
    name_of);

}  // namespace
}  // namespace spikenm::runtime
