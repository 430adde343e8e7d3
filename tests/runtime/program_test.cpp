#include "spikenm/runtime/program.h"

#include "spikenm/runtime/model.h"
#include "support/expect_error.h"
#include "support/run_graphs.h"
#include "support/stored_models.h"

#include <gtest/gtest.h>

namespace spikenm::runtime {
namespace {

// Neurons on a map of side x side, what `behind` adds, and a score.
template <class Behind>
StoredModel model_of(int64_t side, const Behind& behind, int64_t channels = 1) {
  test::GraphMaker m({1, side, side}, 2);
  const auto fired =
      m.add(test::neuron_of(graph::NeuronKind::kIf), {m.add(test::synapse_of(channels, 3), {0})});
  m.add(test::synapse_of(2), {m.add(graph::Mean{}, {behind(m, fired)})});
  return test::random_model(m.finish());
}

graph::NodeId nothing(test::GraphMaker&, graph::NodeId fired) {
  return fired;
}

// The file of such a network has a few hundred bytes.
TEST(Program, RefusesMapsThatAFewBytesAskFor) {
  EXPECT_ERROR(Model(model_of(65536, nothing)), "network 'made'", "4294967296 places",
               "wanted at most");
  EXPECT_ERROR(Model(model_of(2800,
                              [](test::GraphMaker& m, graph::NodeId fired) {
                                return m.add(graph::Pool{.size = 2, .stride = 1}, {fired});
                              })),
               "network 'made'", "wanted at most");
}

// 225 places for each of a million pixels: refused before one is listed.
TEST(Program, RefusesPoolsThatListTooManyPlaces) {
  EXPECT_ERROR(Model(model_of(1024,
                              [](test::GraphMaker& m, graph::NodeId fired) {
                                return m.add(graph::Pool{.size = 15, .stride = 1}, {fired});
                              })),
               "network 'made'", "wanted at most");
}

TEST(Program, AddsAsFloatsWhatHasTooManyPlaces) {
  const Program program = make_program(model_of(65, nothing));
  EXPECT_EQ(program.forms[2], Form::kBits);
  EXPECT_EQ(program.forms[3], Form::kReal);
  EXPECT_EQ(make_program(model_of(64, nothing)).forms[3], Form::kSum);
}

// A place takes 12 bytes: 1,100 x 1,100 of them would be 15 MB, for a file with 44 bytes of weights.
TEST(Program, WeightsJustifyTheMaps) {
  EXPECT_ERROR(make_program(model_of(1100, nothing)), "network 'made'", "1210000 places",
               "at most 1093632 with its 44 bytes of weights");
  EXPECT_EQ(make_program(model_of(1000, nothing)).forms[2], Form::kBits);
  EXPECT_EQ(make_program(model_of(1100, nothing, 64)).forms[2], Form::kBits);
}

// Lists number the channels of a tap: 2 x 2 taps of 8,200 are read as floats, of a multiple of 64 in pieces.
TEST(Program, ReadsSpikesWhoseRowsListsCanNumber) {
  const auto reads_spikes = [](int64_t channels) {
    const auto behind = [](test::GraphMaker& m, graph::NodeId fired) {
      return m.add(test::synapse_of(1, 2), {fired});
    };
    return make_program(model_of(3, behind, channels)).layers[1].reads_spikes;
  };
  EXPECT_TRUE(reads_spikes(8190));
  EXPECT_FALSE(reads_spikes(8200));
  EXPECT_TRUE(reads_spikes(8256));
}

// However many they are, and however many pixels the map has.
TEST(Program, ReadsTheSpikesOfAnyFlattenedMap) {
  test::GraphMaker m({1, 64, 64}, 2);
  const auto fired =
      m.add(test::neuron_of(graph::NeuronKind::kIf), {m.add(test::synapse_of(17, 3), {0})});
  m.add(test::synapse_of(2), {m.add(graph::Flatten{}, {fired})});
  const Program program = make_program(test::random_model(m.finish()));
  EXPECT_TRUE(program.layers[1].reads_spikes);
  EXPECT_EQ(program.layers[1].window.taps() * program.layers[1].channels, 69'632);
}

TEST(Program, TakesTheMapsOfALargeSensor) {
  const auto halved = [](test::GraphMaker& m, graph::NodeId fired) {
    return m.add(graph::Pool{}, {fired});
  };
  const Program program = make_program(model_of(1280, halved, 64));
  EXPECT_EQ(program.forms[3], Form::kSum);
}

}  // namespace
}  // namespace spikenm::runtime
