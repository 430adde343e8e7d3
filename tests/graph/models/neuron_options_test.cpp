#include "spikenm/graph/models/neuron_options.h"

#include "spikenm/core/text.h"
#include "support/expect_error.h"

namespace spikenm::graph {
namespace {

Neuron read(const std::string& lines) {
  const Config config = Config::from_text("[neuron]\n" + lines, "test");
  const Neuron neuron = read_neuron(config.section("neuron"));
  config.reject_unread();
  return neuron;
}

TEST(NeuronOptions, DefaultsAreThoseOfUpr) {
  const Neuron neuron = read("");
  EXPECT_EQ(neuron.params.neuron, NeuronKind::kLif);
  EXPECT_EQ(neuron.tau, 2);
  EXPECT_EQ(neuron.params.k, 0.5);
  EXPECT_EQ(neuron.tau_syn, 2);
  EXPECT_EQ(neuron.params.k_syn, 0.5);
  EXPECT_EQ(neuron.params.threshold, 1);
  EXPECT_EQ(neuron.params.v_reset, 0);
  EXPECT_FALSE(neuron.params.soft_reset);
  EXPECT_TRUE(neuron.params.decay_input);
  EXPECT_TRUE(neuron.params.detach_reset);
  EXPECT_EQ(neuron.params.surrogate, Surrogate::kAtan);
  EXPECT_EQ(neuron.params.alpha, 2);
  EXPECT_FALSE(neuron.maskable);
}

TEST(NeuronOptions, EveryKeyIsRead) {
  const Neuron neuron = read(
      "name = 'plif'\ntau = 4\ntau_syn = 8\nthreshold = 0.5\nv_reset = -0.25\n"
      "decay_input = false\ndetach_reset = false\nsurrogate = 'triangle'\nalpha = 0.75");
  EXPECT_EQ(neuron.params.neuron, NeuronKind::kPlif);
  EXPECT_EQ(neuron.tau, 4);
  EXPECT_EQ(neuron.params.k, 0.25);
  EXPECT_EQ(neuron.tau_syn, 8);
  EXPECT_EQ(neuron.params.k_syn, 0.125);
  EXPECT_EQ(neuron.params.threshold, 0.5);
  EXPECT_EQ(neuron.params.v_reset, -0.25);
  EXPECT_TRUE(read("reset = 'soft'").params.soft_reset);
  EXPECT_FALSE(neuron.params.decay_input);
  EXPECT_FALSE(neuron.params.detach_reset);
  EXPECT_EQ(neuron.params.surrogate, Surrogate::kTriangle);
  EXPECT_EQ(neuron.params.alpha, 0.75);
}

TEST(NeuronOptions, EachSurrogateHasItsOwnSharpness) {
  EXPECT_EQ(read("surrogate = 'sigmoid'").params.alpha, 4);
  EXPECT_EQ(read("surrogate = 'triangle'").params.alpha, 1);
}

TEST(NeuronOptions, NamesAndNeuronsAreOneToOne) {
  for (const NeuronTraits& kind : neuron_kinds())
    EXPECT_EQ(read("name = '" + std::string(kind.name) + "'").params.neuron, kind.kind);
}

TEST(NeuronOptions, ValuesThatMakeNoNeuronAreErrors) {
  EXPECT_ERROR(read("name = 'izhikevich'"), "neuron.name", "izhikevich",
               join(neuron_names(), ", ").c_str());
  EXPECT_ERROR(read("reset = 'none'"), "neuron.reset", "hard, soft");
  EXPECT_ERROR(read("surrogate = 'step'"), "neuron.surrogate",
               join(surrogate_names(), ", ").c_str());
  EXPECT_ERROR(read("tau = 0.5"), "neuron.tau", "0.5");
  EXPECT_ERROR(read("tau_syn = 0.5"), "neuron.tau_syn", "0.5");
  EXPECT_ERROR(read("threshold = 0"), "neuron.threshold");
  EXPECT_ERROR(read("alpha = 0"), "neuron.alpha");
  EXPECT_ERROR(read("alpha = nan"), "neuron.alpha");
  EXPECT_ERROR(read("v_reset = 1"), "neuron.v_reset", "below the threshold 1");
  EXPECT_ERROR(read("v_reset = nan"), "neuron.v_reset");
  EXPECT_ERROR(read("name = 'plif'\ntau = 1"), "neuron.name", "plif", "neuron.tau 1");
  EXPECT_ERROR(read("v_reset = 0.5\nreset = 'soft'"),
               "neuron.v_reset: has no effect with neuron.reset = \"soft\"; leave it out");
  EXPECT_EQ(read("tau = 1").params.k, 1);
  EXPECT_EQ(read("tau_syn = 1").params.k_syn, 1);
}

TEST(NeuronKindOption, ReplacesTheKindAndNothingElse) {
  const Config config = Config::from_text("block_neuron = 'plif'", "test");
  Neuron lif = read("tau = 4\nthreshold = 0.5");
  const ChoiceKey key{"block_neuron", "if", neuron_names(), "neurons of the blocks"};
  const Neuron plif = read_neuron_kind(config, key, lif);
  EXPECT_EQ(plif.params.neuron, NeuronKind::kPlif);
  EXPECT_EQ(plif.tau, 4);
  EXPECT_EQ(plif.params.threshold, 0.5);
  EXPECT_EQ(read_neuron_kind(Config(), key, lif).params.neuron, NeuronKind::kIf);
  lif.tau = 1;
  EXPECT_ERROR(read_neuron_kind(config, key, lif), "block_neuron", "plif");
}

}  // namespace
}  // namespace spikenm::graph
