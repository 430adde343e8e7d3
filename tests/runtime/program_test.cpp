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
StoredModel model_of(int64_t side, const Behind& behind) {
  test::GraphMaker m({1, side, side}, 2);
  const auto fired =
      m.add(test::neuron_of(graph::NeuronKind::kIf), {m.add(test::synapse_of(1), {0})});
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

TEST(Program, TakesTheMapsOfALargeSensor) {
  const Program program = make_program(model_of(1280, [](test::GraphMaker& m, graph::NodeId fired) {
    return m.add(graph::Pool{}, {fired});
  }));
  EXPECT_EQ(program.forms[3], Form::kSum);
}

}  // namespace
}  // namespace spikenm::runtime
