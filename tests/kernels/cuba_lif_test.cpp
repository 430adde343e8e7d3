// The neuron with two states, against an oracle of its own.
#include "spikenm/kernels/math/steps/cuba_lif.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/norm_neuron_cpu.h"
#include "support/compare.h"
#include "support/cuba_lif_oracle.h"
#include "support/normal_values.h"

#include <limits>

namespace spikenm::kernels {
namespace {

using test::all_close;
using test::all_cuba_lif_params;
using test::all_identical;
using test::cuba_lif_oracle;
using test::normal_values;
using test::run_neuron_cpu;
using test::run_neuron_ref;

constexpr int64_t kSizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 33};
constexpr int64_t kLengths[] = {1, 2, 5, 8};

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

// Calls body(params, steps, number of values) for all options and the sizes that hurt.
template <class Body>
void for_each_run(Body&& body) {
  for (const NeuronParams& params : all_cuba_lif_params())
    for (const int64_t steps : kLengths)
      for (const int64_t n : kSizes) {
        SCOPED_TRACE(test::describe(params) + " k_syn " + std::to_string(params.k_syn) + " T " +
                     std::to_string(steps) + " n " + std::to_string(n));
        body(params, steps, static_cast<size_t>(steps * n));
        if (testing::Test::HasFailure()) return;
      }
}

// Spikes are equal: these inputs charge no membrane to within rounding of the threshold.
template <class T>
void expect_is(const test::NeuronRun<T>& found, const test::NeuronRun<double>& wanted,
               double rounding) {
  EXPECT_TRUE(all_identical(widened(found.spikes), wanted.spikes));
  EXPECT_TRUE(all_close(widened(found.h), wanted.h, {rounding, rounding}));
  EXPECT_TRUE(all_close(widened(found.v), wanted.v, {rounding, rounding}));
  EXPECT_TRUE(all_close(widened(found.grad_x), wanted.grad_x, {rounding, rounding}));
  EXPECT_EQ(found.grad_k, 0);
}

TEST(CubaLif, TheOraclesGradientIsTheSlopeOfItsLoss) {
  constexpr int64_t kSteps = 6;
  for (const NeuronParams& params : all_cuba_lif_params()) {
    SCOPED_TRACE(test::describe(params) + " k_syn " + std::to_string(params.k_syn));
    auto x = normal_values<double>(kSteps, 1.5, 1);
    const auto g = normal_values<double>(kSteps, 1, 2);
    const auto found = cuba_lif_oracle(params, kSteps, x, g, test::fire_smoothly);
    const std::vector<double>* frozen = params.detach_reset ? &found.spikes : nullptr;
    const auto loss = [&] {
      const auto run = cuba_lif_oracle(params, kSteps, x, g, test::fire_smoothly, frozen);
      double sum = 0;
      for (size_t t = 0; t < g.size(); ++t) sum += run.spikes[t] * g[t];
      return sum;
    };
    for (size_t t = 0; t < x.size(); ++t)
      EXPECT_NEAR(found.grad_x[t], test::slope(x[t], loss), 2e-7) << "x at t = " << t;
  }
}

TEST(CubaLif, TheReferenceInDoubleIsTheOracle) {
  for_each_run([](const NeuronParams& params, int64_t steps, size_t count) {
    const auto x = normal_values<double>(count, 1.5, 3), g = normal_values<double>(count, 1, 4);
    expect_is(run_neuron_ref(params, steps, x, g), cuba_lif_oracle(params, steps, x, g), 1e-12);
  });
}

TEST(CubaLif, TheReferenceInFloatIsTheOracle) {
  for_each_run([](const NeuronParams& params, int64_t steps, size_t count) {
    const auto x = normal_values<float>(count, 1.5, 3), g = normal_values<float>(count, 1, 4);
    expect_is(run_neuron_ref(params, steps, x, g),
              cuba_lif_oracle(params, steps, widened(x), widened(g)), 1e-5);
  });
}

TEST(CubaLif, EveryInstructionSetIsTheOracle) {
  for_each_run([](const NeuronParams& params, int64_t steps, size_t count) {
    const auto x = normal_values<float>(count, 1.5, 3), g = normal_values<float>(count, 1, 4);
    const auto wanted = cuba_lif_oracle(params, steps, widened(x), widened(g));
    for (const Isa isa : supported_isas()) {
      SCOPED_TRACE(isa_name(isa));
      expect_is(run_neuron_cpu(params, steps, x, g, isa), wanted, 1e-5);
    }
  });
}

// By hand: tau 2, tau_syn 2, threshold 1. The spike of the first step resets the membrane alone:
// the current goes on to charge it.
TEST(CubaLif, ASpikeLeavesTheCurrent) {
  const NeuronParams params{.neuron = Neuron::kCubaLif};
  const std::vector<float> x{2, 0, 0, 4}, ones(4, 1);
  for (const Isa isa : supported_isas()) {
    const auto run = run_neuron_cpu(params, 4, x, ones, isa);
    // i: 2, 1, 0.5, 4.25.
    EXPECT_EQ(run.h, (std::vector<float>{1, 0.5f, 0.5f, 2.375f})) << isa_name(isa);
    EXPECT_EQ(run.spikes, (std::vector<float>{1, 0, 0, 1}));
    EXPECT_EQ(run.v, (std::vector<float>{0, 0.5f, 0.5f, 0}));
  }
}

// tau_syn = 1: nothing of the current stays.
TEST(CubaLif, WithoutMemoryOfItsCurrentItIsLif) {
  constexpr int64_t kSteps = 5;
  const auto x = normal_values<float>(kSteps * 37, 1.5, 5),
             g = normal_values<float>(x.size(), 1, 6);
  for (NeuronParams params : test::all_neuron_params()) {
    if (params.neuron != Neuron::kLif || !params.decay_input) continue;
    for (const Isa isa : supported_isas()) {
      SCOPED_TRACE(test::describe(params) + " " + std::string(isa_name(isa)));
      params.neuron = Neuron::kLif;
      const auto lif = run_neuron_cpu(params, kSteps, x, g, isa);
      params.neuron = Neuron::kCubaLif;
      params.k_syn = 1;
      const auto found = run_neuron_cpu(params, kSteps, x, g, isa);
      EXPECT_TRUE(all_identical(found.spikes, lif.spikes));
      EXPECT_TRUE(all_identical(found.h, lif.h));
      EXPECT_TRUE(all_close(found.grad_x, lif.grad_x, {}));  // but for the sign of a zero
    }
  }
}

TEST(CubaLif, TheInputIsScaledWhateverDecayInputSays) {
  constexpr int64_t kSteps = 5;
  const auto x = normal_values<float>(kSteps * 9, 1.5, 5), g = normal_values<float>(x.size(), 1, 6);
  NeuronParams params{.neuron = Neuron::kCubaLif, .k = 0.3};
  const auto wanted = run_neuron_ref(params, kSteps, x, g);
  params.decay_input = false;
  const auto found = run_neuron_ref(params, kSteps, x, g);
  EXPECT_TRUE(all_identical(found.h, wanted.h));
  EXPECT_TRUE(all_identical(found.grad_x, wanted.grad_x));
}

// At the end of the range it stops, and comes back from there; infinity would not, and 0 times
// infinity is NaN.
TEST(CubaLif, ACurrentNeverLeavesTheRange) {
  NeuronParams params{.neuron = Neuron::kCubaLif};
  const auto expect_spikes = [&](double tau_syn, const std::vector<float>& x,
                                 const std::vector<float>& wanted) {
    params.k_syn = 1 / tau_syn;
    const auto steps = static_cast<int64_t>(x.size());
    const std::vector<float> ones(x.size(), 1);
    for (const Isa isa : supported_isas()) {
      SCOPED_TRACE(isa_name(isa));
      const auto run = run_neuron_cpu(params, steps, x, ones, isa);
      EXPECT_EQ(run.spikes, wanted);
      for (const auto* values : {&run.h, &run.v, &run.grad_x}) EXPECT_TRUE(test::none_nan(*values));
    }
  };
  expect_spikes(4, {3e38f, 3e38f, -3e38f, 0}, {1, 1, 0, 0});
  expect_spikes(1, {std::numeric_limits<float>::infinity(), 0.5f}, {1, 0});
}

#if defined(SPIKENM_ASSERTIONS)
TEST(CubaLif, FusedKernelsDoNotServeIt) {
  const std::vector<float> x(4, 1);
  std::vector<float> spikes(4), membrane(64);
  const NormNeuron<float> args{.params = {.neuron = Neuron::kCubaLif},
                               .steps = 1,
                               .input_steps = 1,
                               .rows = 2,
                               .channels = 2,
                               .x = x.data()};
  const NormNeuronGradients<float> gradients{.grad_spikes = x.data(), .grad_x = spikes.data()};
  EXPECT_THROW(norm_neuron_forward_ref(args, spikes.data(), 0, 2), Bug);
  EXPECT_THROW(norm_neuron_backward_ref(args, gradients, membrane.data(), 0, 2), Bug);
  for (const Isa isa : supported_isas()) {
    EXPECT_THROW(norm_neuron_forward_cpu(args, spikes.data(), isa), Bug);
    EXPECT_THROW(norm_neuron_backward_cpu(args, gradients, isa), Bug);
  }
}
#endif

}  // namespace
}  // namespace spikenm::kernels
