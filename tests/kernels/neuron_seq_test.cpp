#include "spikenm/kernels/neuron_seq.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/math/steps/all.h"
#include "support/compare.h"
#include "support/neuron_run.h"
#include "support/normal_values.h"

#include <limits>

namespace spikenm::kernels {
namespace {

using test::all_close;
using test::all_identical;
using test::all_neuron_params;
using test::none_nan;
using test::normal_values;
using test::run_neuron_cpu;
using test::run_neuron_ref;
using test::Tolerance;

// Fires the surrogate's primitive instead of the step, so that the surrogate is the true
// derivative.
struct SmoothFire {
  const NeuronParams* params;
  [[nodiscard]] double spike(double h, double threshold) const {
    return surrogate_primitive(params->surrogate, params->alpha, h - threshold);
  }
  [[nodiscard]] double mix(double h, double threshold, double fired, double kept) const {
    const double s = spike(h, threshold);
    return s * fired + (1 - s) * kept;
  }
};

// The same, but the reset sees a spike that does not move: what detach_reset differentiates.
struct DetachedFire : SmoothFire {
  double frozen;
  [[nodiscard]] double mix(double, double, double fired, double kept) const {
    return frozen * fired + (1 - frozen) * kept;
  }
};

// One neuron, unrolled in double: x and g are [T].
struct Unrolled {
  NeuronParams params;
  std::vector<double> x, g;

  template <class Step>
  double loss(const std::vector<double>* frozen_spikes) const {
    const auto c = neuron_constants<double, double>(params);
    double v = c.charge.rest, current = 0, h = 0, s = 0, sum = 0;
    for (size_t t = 0; t < x.size(); ++t) {
      const double in = charging_input<Step>(c, x[t], current);
      const SmoothFire smooth{&params};
      if (frozen_spikes != nullptr)
        neuron_forward_step<Step>(c, params.soft_reset, in, v, h, s,
                                  DetachedFire{smooth, (*frozen_spikes)[t]});
      else
        neuron_forward_step<Step>(c, params.soft_reset, in, v, h, s, smooth);
      sum += s * g[t];
    }
    return sum;
  }

  struct Gradient {
    std::vector<double> x, spikes;
    double k = 0;
  };
  template <class Step>
  Gradient gradient() const {
    const auto c = neuron_constants<double, double>(params);
    const SmoothFire fire{&params};
    const size_t steps = x.size();
    std::vector<double> h(steps), v_before(steps);
    Gradient result{std::vector<double>(steps), std::vector<double>(steps)};
    double v = c.charge.rest, current = 0, error = 0, grad_current = 0, grad_k = 0;
    for (size_t t = 0; t < steps; ++t) {
      v_before[t] = v;
      const double in = charging_input<Step>(c, x[t], current);
      neuron_forward_step<Step>(c, params.soft_reset, in, v, h[t], result.spikes[t], fire);
    }
    for (size_t t = steps; t-- > 0;) {
      neuron_backward_step<Step>(c, params, g[t], h[t], x[t], v_before[t], error, result.x[t],
                                 grad_k, fire);
      result.x[t] = input_gradient<Step>(c, result.x[t], grad_current);
      result.k += grad_k;
    }
    return result;
  }
};

template <class Step>
void check_gradient(Unrolled neuron) {
  const auto found = neuron.gradient<Step>();
  const std::vector<double>* frozen = neuron.params.detach_reset ? &found.spikes : nullptr;
  const auto loss = [&] { return neuron.loss<Step>(frozen); };
  for (size_t t = 0; t < neuron.x.size(); ++t)
    EXPECT_NEAR(found.x[t], test::slope(neuron.x[t], loss), 2e-7) << "x at t = " << t;
  if (Step::kLearnsLeak) {
    EXPECT_NEAR(found.k, test::slope(neuron.params.k, loss), 2e-7);
  }
}

TEST(NeuronSeq, SmoothlyFiringNeuronPassesGradcheck) {
  for (const NeuronParams& params : all_neuron_params())
    for (const size_t steps : {1, 2, 5}) {
      SCOPED_TRACE(test::describe(params) + " T " + std::to_string(steps));
      const Unrolled neuron{params, normal_values<double>(steps, 1.5, 1),
                            normal_values<double>(steps, 1, 2)};
      switch (params.neuron) {
#define SPIKENM_NEURON(name, step, ...) \
  case Neuron::name:                    \
    check_gradient<step>(neuron);       \
    break;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
      }
    }
}

void expect_same_as_ref(const NeuronParams& params, int64_t steps, const std::vector<float>& x,
                        const std::vector<float>& g, Tolerance tolerance) {
  const auto wanted = run_neuron_ref(params, steps, x, g);
  for (const Isa isa : supported_isas()) {
    SCOPED_TRACE(test::describe(params) + " " + std::string(isa_name(isa)) + " T " +
                 std::to_string(steps) + " values " + std::to_string(x.size()));
    const auto found = run_neuron_cpu(params, steps, x, g, isa);
    EXPECT_TRUE(all_identical(found.spikes, wanted.spikes));
    EXPECT_TRUE(all_identical(found.h, wanted.h));
    EXPECT_TRUE(all_identical(found.v, wanted.v));
    EXPECT_TRUE(all_close(found.grad_x, wanted.grad_x, tolerance));
    const double values = static_cast<double>(x.size() + 1);
    EXPECT_NEAR(found.grad_k, wanted.grad_k,
                tolerance.absolute * values + tolerance.relative * std::abs(wanted.grad_k));
  }
}

TEST(NeuronSeq, EveryInstructionSetAgreesWithTheReference) {
  for (const NeuronParams& params : all_neuron_params())
    for (const int64_t steps : {1, 2, 5, 8})
      for (const int64_t n : {0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000}) {
        const auto count = static_cast<size_t>(steps * n);
        expect_same_as_ref(params, steps, normal_values<float>(count, 1.5, 3),
                           normal_values<float>(count, 1, 4), {1e-6, 1e-6});
        if (testing::Test::HasFailure()) return;
      }
}

TEST(NeuronSeq, SilentAndAlwaysFiringNeuronsAgreeWithTheReference) {
  constexpr int64_t kSteps = 5;
  constexpr size_t kCount = kSteps * 37;
  const std::vector<float> g = normal_values<float>(kCount, 1, 5);
  for (const NeuronParams& params : all_neuron_params())
    for (const float level : {0.0f, 50.0f, -50.0f}) {
      const std::vector<float> x(kCount, level);
      const float spike = level > 0 ? 1.0f : 0.0f;
      const auto run = run_neuron_ref(params, kSteps, x, g);
      EXPECT_TRUE(all_identical(run.spikes, std::vector<float>(kCount, spike)));
      expect_same_as_ref(params, kSteps, x, g, {1e-6, 1e-6});
    }
}

TEST(NeuronSeq, AMembraneExactlyAtTheThresholdFires) {
  NeuronParams params{.neuron = Neuron::kIf, .threshold = 0.75};
  const float at = 0.75f, below = std::nextafter(at, 0.0f), above = std::nextafter(at, 1.0f);
  for (const Isa isa : supported_isas()) {
    const auto run = run_neuron_cpu(params, 1, {below, at, above}, {1, 1, 1}, isa);
    EXPECT_TRUE(all_identical(run.spikes, {0.0f, 1.0f, 1.0f})) << isa_name(isa);
  }
}

// Signs and sizes change from step to step: sums and differences of neighbours leave the range.
TEST(NeuronSeq, HugeInputsNeverMakeNan) {
  constexpr int64_t kSteps = 6;
  constexpr size_t kCount = kSteps * 300;
  const RandomAddress random(5, 5);
  const float levels[] = {3e38f, -3e38f, 1.5e38f, -1.5e38f, 0.0f, 1.0f, 1e19f, -1e19f};
  std::vector<float> x(kCount);
  for (size_t i = 0; i < kCount; ++i) x[i] = levels[random.below(i, 8)];
  const std::vector<float> g = normal_values<float>(kCount, 3, 6);
  for (const NeuronParams& params : all_neuron_params())
    for (const Isa isa : supported_isas()) {
      SCOPED_TRACE(test::describe(params) + " " + std::string(isa_name(isa)));
      const auto run = run_neuron_cpu(params, kSteps, x, g, isa);
      const auto wanted = run_neuron_ref(params, kSteps, x, g);
      for (const auto* values : {&run.spikes, &run.h, &run.v, &run.grad_x})
        EXPECT_TRUE(none_nan(*values));
      EXPECT_FALSE(std::isnan(run.grad_k));
      EXPECT_TRUE(all_identical(run.spikes, wanted.spikes));
      EXPECT_TRUE(all_close(run.grad_x, wanted.grad_x, {1e-6, 1e-6}));
    }
}

TEST(NeuronSeq, NanInputStaysVisible) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const NeuronParams& params : all_neuron_params())
    for (const Isa isa : supported_isas()) {
      const auto run = run_neuron_cpu(params, 1, {nan, 1.0f}, {1, 1}, isa);
      EXPECT_TRUE(std::isnan(run.h[0])) << test::describe(params) << " " << isa_name(isa);
      EXPECT_FALSE(std::isnan(run.h[1]));
    }
}

TEST(NeuronSeq, InputGradientMayOverwriteSpikeGradient) {
  constexpr int64_t kSteps = 5, kNeurons = 37;
  const auto x = normal_values<float>(kSteps * kNeurons, 1.5, 7);
  const auto g = normal_values<float>(kSteps * kNeurons, 1, 8);
  for (const NeuronParams& params : all_neuron_params())
    for (const Isa isa : supported_isas()) {
      const auto apart = run_neuron_cpu(params, kSteps, x, g, isa);
      std::vector<float> shared = g;
      const double grad_k = neuron_backward_cpu({.params = params,
                                                 .steps = kSteps,
                                                 .n = kNeurons,
                                                 .grad_spikes = shared.data(),
                                                 .h = apart.h.data(),
                                                 .x = x.data(),
                                                 .grad_x = shared.data()},
                                                isa);
      EXPECT_TRUE(all_identical(shared, apart.grad_x)) << test::describe(params);
      EXPECT_EQ(grad_k, apart.grad_k);
    }
}

TEST(NeuronSeq, ForwardNeedsNoRoomForMembranes) {
  const std::vector<float> x = normal_values<float>(3 * 21, 1.5, 9);
  const auto wanted = run_neuron_ref({}, 3, x, x);
  for (const Isa isa : supported_isas()) {
    std::vector<float> spikes(x.size(), -1);
    neuron_forward_cpu({.params = {}, .steps = 3, .n = 21, .x = x.data(), .spikes = spikes.data()},
                       isa);
    EXPECT_TRUE(all_identical(spikes, wanted.spikes)) << isa_name(isa);
  }
}

// More neurons than one chunk holds, and not a whole number of vectors.
TEST(NeuronSeq, OneThreadAndTwoGiveTheSameBits) {
  constexpr int64_t kSteps = 8, kNeurons = 30011;
  const auto x = normal_values<float>(kSteps * kNeurons, 1.5, 10);
  const auto g = normal_values<float>(kSteps * kNeurons, 1, 11);
  const NeuronParams params{.neuron = Neuron::kPlif, .k = 0.4, .detach_reset = false};
  for (const Isa isa : supported_isas()) {
    set_threads(1);
    const auto one = run_neuron_cpu(params, kSteps, x, g, isa);
    set_threads(2);
    const auto two = run_neuron_cpu(params, kSteps, x, g, isa);
    set_threads(0);
    EXPECT_TRUE(all_identical(two.spikes, one.spikes));
    EXPECT_TRUE(all_identical(two.v, one.v));
    EXPECT_TRUE(all_identical(two.grad_x, one.grad_x));
    EXPECT_EQ(two.grad_k, one.grad_k) << isa_name(isa);
    EXPECT_NE(one.grad_k, 0);
  }
}

}  // namespace
}  // namespace spikenm::kernels
