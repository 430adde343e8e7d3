#include "spikenm/nn/layers.h"

#include "support/expect_error.h"
#include "support/tensors.h"

#include <cmath>

namespace spikenm::nn {
namespace {

using kernels::Surrogate;

NeuronSpec read(const std::string& lines) {
  const Config config = Config::from_text("[neuron]\n" + lines, "test");
  const NeuronSpec spec = read_neuron_spec(config.section("neuron"));
  config.reject_unread();
  return spec;
}

TEST(NeuronSpec, DefaultsAreThoseOfUpr) {
  const NeuronSpec spec = read("");
  EXPECT_EQ(spec.params.neuron, kernels::Neuron::kLif);
  EXPECT_EQ(spec.tau, 2);
  EXPECT_EQ(spec.params.k, 0.5);
  EXPECT_EQ(spec.params.threshold, 1);
  EXPECT_EQ(spec.params.v_reset, 0);
  EXPECT_FALSE(spec.params.soft_reset);
  EXPECT_TRUE(spec.params.decay_input);
  EXPECT_TRUE(spec.params.detach_reset);
  EXPECT_EQ(spec.params.surrogate, Surrogate::kAtan);
  EXPECT_EQ(spec.params.alpha, 2);
}

TEST(NeuronSpec, EveryKeyIsRead) {
  const NeuronSpec spec = read(
      "name = 'plif'\ntau = 4\nthreshold = 0.5\nv_reset = -0.25\n"
      "decay_input = false\ndetach_reset = false\nsurrogate = 'triangle'\nalpha = 0.75");
  EXPECT_EQ(spec.params.neuron, kernels::Neuron::kPlif);
  EXPECT_EQ(spec.tau, 4);
  EXPECT_EQ(spec.params.k, 0.25);
  EXPECT_EQ(spec.params.threshold, 0.5);
  EXPECT_EQ(spec.params.v_reset, -0.25);
  EXPECT_TRUE(read("reset = 'soft'").params.soft_reset);
  EXPECT_FALSE(spec.params.decay_input);
  EXPECT_FALSE(spec.params.detach_reset);
  EXPECT_EQ(spec.params.surrogate, Surrogate::kTriangle);
  EXPECT_EQ(spec.params.alpha, 0.75);
}

TEST(NeuronSpec, EachSurrogateHasItsOwnSharpness) {
  EXPECT_EQ(read("surrogate = 'sigmoid'").params.alpha, 4);
  EXPECT_EQ(read("surrogate = 'triangle'").params.alpha, 1);
}

TEST(NeuronSpec, NamesAndNeuronsAreOneToOne) {
  for (const char* name : {"if", "lif", "plif"})
    EXPECT_EQ(neuron_name(read("name = '" + std::string(name) + "'").params.neuron), name);
}

TEST(NeuronSpec, ValuesThatMakeNoNeuronAreErrors) {
  EXPECT_ERROR(read("name = 'izhikevich'"), "neuron.name", "izhikevich", "if, lif, plif");
  EXPECT_ERROR(read("reset = 'none'"), "neuron.reset", "hard, soft");
  EXPECT_ERROR(read("surrogate = 'step'"), "neuron.surrogate", "atan, sigmoid, triangle");
  EXPECT_ERROR(read("tau = 0.5"), "neuron.tau", "0.5");
  EXPECT_ERROR(read("threshold = 0"), "neuron.threshold");
  EXPECT_ERROR(read("alpha = 0"), "neuron.alpha");
  EXPECT_ERROR(read("alpha = nan"), "neuron.alpha");
  EXPECT_ERROR(read("v_reset = 1"), "neuron.v_reset", "below the threshold 1");
  EXPECT_ERROR(read("v_reset = nan"), "neuron.v_reset");
  EXPECT_ERROR(read("name = 'plif'\ntau = 1"), "neuron.name", "plif", "neuron.tau 1");
  EXPECT_ERROR(read("v_reset = 0.5\nreset = 'soft'"),
               "neuron.v_reset: has no effect with neuron.reset = \"soft\"; leave it out");
  EXPECT_EQ(read("tau = 1").params.k, 1);
}

TEST(KaimingWeight, SpreadFollowsTheFanOut) {
  const nm::WeightShape shapes[] = {{64, 32, 3, 3}, {100, 400, 1, 1}, {16, 512, 5, 3}};
  for (const nm::WeightShape& s : shapes) {
    const Tensor w = kaiming_weight(s, 1, 0).to(at::kDouble);
    const double wanted = std::sqrt(2.0 / static_cast<double>(s.cout * s.kh * s.kw));
    const double n = static_cast<double>(w.numel());  // about 18000 or more
    EXPECT_EQ(w.sizes(), at::IntArrayRef({s.cout, s.cin, s.kh, s.kw}));
    EXPECT_NEAR(w.std().item<double>() / wanted, 1, 4 / std::sqrt(2 * n));
    EXPECT_NEAR(w.mean().item<double>() / wanted, 0, 4 / std::sqrt(n));
    // Normal, not uniform: the fourth moment is 3.
    EXPECT_NEAR((w / wanted).pow(4).mean().item<double>(), 3, 0.3);
  }
}

TEST(NeuronKind, ReplacesTheKindAndNothingElse) {
  const Config config = Config::from_text("block_neuron = 'plif'", "test");
  NeuronSpec lif = read("tau = 4\nthreshold = 0.5");
  const NeuronSpec plif = read_neuron_kind(config, "block_neuron", "if", lif);
  EXPECT_EQ(plif.params.neuron, kernels::Neuron::kPlif);
  EXPECT_EQ(plif.tau, 4);
  EXPECT_EQ(plif.params.threshold, 0.5);
  EXPECT_EQ(read_neuron_kind(Config(), "block_neuron", "if", lif).params.neuron,
            kernels::Neuron::kIf);
  lif.tau = 1;
  EXPECT_ERROR(read_neuron_kind(config, "block_neuron", "if", lif), "block_neuron", "plif");
}

// Uniform within 1/sqrt(50): the second moment is a third of the limit's square.
TEST(UniformBias, SpreadFollowsTheFanIn) {
  const nm::WeightShape shape{20000, 2, 5, 5};
  const Tensor bias = uniform_bias(shape, 1, 0).to(at::kDouble) * std::sqrt(50.0);
  ASSERT_EQ(bias.sizes(), at::IntArrayRef({20000}));
  EXPECT_LE(bias.abs().max().item<double>(), 1);
  EXPECT_GT(bias.abs().max().item<double>(), 0.999);
  EXPECT_NEAR(bias.mean().item<double>(), 0, 4 * std::sqrt(1.0 / 3 / 20000));
  EXPECT_NEAR(bias.square().mean().item<double>(), 1.0 / 3, 0.01);
}

TEST(UniformBias, SeedAndIndexDecideTheValues) {
  const nm::WeightShape shape{9, 3, 1, 1};
  const Tensor bias = uniform_bias(shape, 7, 2);
  EXPECT_TRUE(test::tensors_identical(uniform_bias(shape, 7, 2), bias));
  EXPECT_FALSE(uniform_bias(shape, 8, 2).equal(bias));
  EXPECT_FALSE(uniform_bias(shape, 7, 3).equal(bias));
}

// Large layers are filled in chunks, on several threads.
TEST(KaimingWeight, OneThreadAndTwoGiveTheSameBits) {
  const nm::WeightShape shape{128, 64, 3, 3};
  const auto on = [&](int n) {
    const test::Threads scope(n);
    return kaiming_weight(shape, 3, 1);
  };
  EXPECT_TRUE(test::tensors_identical(on(2), on(1)));
}

TEST(KaimingWeight, SeedAndIndexDecideTheValues) {
  const nm::WeightShape shape{4, 3, 3, 3};
  const Tensor w = kaiming_weight(shape, 7, 2);
  EXPECT_TRUE(test::tensors_identical(kaiming_weight(shape, 7, 2), w));
  EXPECT_FALSE(kaiming_weight(shape, 8, 2).equal(w));
  EXPECT_FALSE(kaiming_weight(shape, 7, 3).equal(w));
}

}  // namespace
}  // namespace spikenm::nn
