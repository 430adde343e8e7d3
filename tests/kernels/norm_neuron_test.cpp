#include "spikenm/kernels/norm_neuron_cpu.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/batch_norm.h"
#include "spikenm/kernels/neuron_seq.h"
#include "support/compare.h"
#include "support/neuron_run.h"
#include "support/normal_values.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

using test::all_close;
using test::all_identical;
using test::normal_values;

struct Shape {
  int64_t steps, rows, channels;
  bool constant = false;  // x has one step

  [[nodiscard]] size_t inputs() const { return outputs() / (constant ? steps : 1); }
  [[nodiscard]] size_t outputs() const { return static_cast<size_t>(steps * rows * channels); }
};

std::string describe(const Shape& s) {
  return " [" + std::to_string(s.steps) + "," + std::to_string(s.rows) + "," +
         std::to_string(s.channels) + "]" + (s.constant ? " constant" : "");
}

// Around vectors of 8 and 16, one channel, two rows, T = 1, long sequences.
const Shape kShapes[] = {{1, 2, 1},   {5, 35, 17}, {5, 9, 5},   {33, 14, 5},      {4, 3, 7},
                         {8, 32, 16}, {8, 66, 2},  {3, 70, 33}, {5, 24, 2, true}, {33, 4, 17, true},
                         {1, 100, 8}, {2, 9, 15},  {6, 5, 1},   {5, 70, 9, true}};

// Inputs and outputs of one run.
template <class T>
struct Trial {
  std::vector<T> x, gamma, beta, grad_spikes;
  std::vector<T> mean, variance, inverse_std;
  std::vector<T> spikes, grad_x, grad_gamma, grad_beta;

  explicit Trial(const Shape& s) {
    const auto channels = static_cast<size_t>(s.channels);
    const auto cast = [](const std::vector<double>& v) {
      return std::vector<T>(v.begin(), v.end());
    };
    x = cast(normal_values<double>(s.inputs(), 2, 1));
    gamma = cast(normal_values<double>(channels, 1.5, 2));
    beta = cast(normal_values<double>(channels, 0.5, 3));
    grad_spikes = cast(normal_values<double>(s.outputs(), 1, 4));
    for (std::vector<T>* v : {&mean, &variance, &inverse_std, &grad_gamma, &grad_beta})
      v->assign(channels, T(0));
    spikes.assign(s.outputs(), T(-1));
    grad_x.assign(s.inputs(), T(-1));
  }
  NormNeuron<T> args(const Shape& s, const NeuronParams& params, bool measures) {
    return {.params = params,
            .steps = s.steps,
            .input_steps = s.constant ? 1 : s.steps,
            .rows = s.rows,
            .channels = s.channels,
            .x = x.data(),
            .gamma = gamma.data(),
            .beta = beta.data(),
            .mean = mean.data(),
            .variance = variance.data(),
            .inverse_std = inverse_std.data(),
            .eps = 1e-3,
            .measures = measures};
  }
  NormNeuronGradients<T> gradients() {
    return {.grad_spikes = grad_spikes.data(),
            .grad_x = grad_x.data(),
            .grad_gamma = grad_gamma.data(),
            .grad_beta = grad_beta.data()};
  }
};

NormNeuron<float> without_norm(NormNeuron<float> args) {
  args.gamma = args.beta = nullptr;
  args.measures = false;
  return args;
}

template <class T>
Trial<T> run_ref(const Shape& s, const NeuronParams& params) {
  Trial<T> run(s);
  const NormNeuron<T> args = run.args(s, params, true);
  std::vector<T> room(static_cast<size_t>(s.steps));
  norm_neuron_forward_ref(args, run.spikes.data(), 0, args.channels);
  norm_neuron_backward_ref(args, run.gradients(), room.data(), 0, args.channels);
  return run;
}

// Rounding of sums, relative to the largest value of an array.
template <class T>
test::Tolerance rounding(const std::vector<T>& wanted, double relative) {
  double largest = 0.1;
  for (const T w : wanted) largest = std::max(largest, std::abs(static_cast<double>(w)));
  return {relative * largest, relative};
}

// Batch norm, then the neuron, on inputs that are repeated where constant.
TEST(NormNeuron, TheReferenceEqualsItsUnfusedTwins) {
  for (const NeuronParams& params : test::fusable_neuron_params())
    for (const Shape& s : kShapes) {
      SCOPED_TRACE(test::describe(params) + describe(s));
      const Trial<double> found = run_ref<double>(s, params);
      Trial<double> twin(s);
      const int64_t n = s.rows * s.channels, repeats = s.constant ? s.steps : 1;
      std::vector<double> x, y(s.outputs()), h(s.outputs()), grad_y(s.outputs());
      for (int64_t t = 0; t < repeats; ++t) x.insert(x.end(), twin.x.begin(), twin.x.end());
      const BatchNorm<double> norm{.rows = s.steps * s.rows,
                                   .channels = s.channels,
                                   .spatial = 1,
                                   .x = x.data(),
                                   .gamma = twin.gamma.data(),
                                   .beta = twin.beta.data(),
                                   .mean = twin.mean.data(),
                                   .inverse_std = twin.inverse_std.data(),
                                   .eps = 1e-3};
      batch_norm_statistics(norm, twin.variance.data());
      batch_norm_apply(norm, y.data());
      neuron_forward_ref<double>({.params = params,
                                  .steps = s.steps,
                                  .n = n,
                                  .x = y.data(),
                                  .spikes = twin.spikes.data(),
                                  .h = h.data()},
                                 0, n);
      neuron_backward_ref<double>({.params = params,
                                   .steps = s.steps,
                                   .n = n,
                                   .grad_spikes = twin.grad_spikes.data(),
                                   .h = h.data(),
                                   .grad_x = grad_y.data()},
                                  0, n);
      batch_norm_backward(norm, grad_y.data(), grad_y.data(), twin.grad_gamma.data(),
                          twin.grad_beta.data());
      std::fill(twin.grad_x.begin(), twin.grad_x.end(), 0.0);
      for (size_t i = 0; i < grad_y.size(); ++i) twin.grad_x[i % s.inputs()] += grad_y[i];
      EXPECT_TRUE(all_close(found.mean, twin.mean, {1e-12, 1e-12}));
      EXPECT_TRUE(all_close(found.variance, twin.variance, {1e-12, 1e-12}));
      EXPECT_TRUE(all_identical(found.spikes, twin.spikes));
      EXPECT_TRUE(all_close(found.grad_x, twin.grad_x, {1e-10, 1e-10}));
      EXPECT_TRUE(all_close(found.grad_gamma, twin.grad_gamma, {1e-10, 1e-10}));
      EXPECT_TRUE(all_close(found.grad_beta, twin.grad_beta, {1e-10, 1e-10}));
      if (HasFailure()) return;
    }
}

// Statistics to rounding; spikes bit for bit where the statistics are the same.
TEST(NormNeuron, EveryInstructionSetAgreesWithTheReference) {
  for (const NeuronParams& params : test::fusable_neuron_params())
    for (const Shape& s : kShapes)
      for (const Isa isa : supported_isas()) {
        SCOPED_TRACE(test::describe(params) + describe(s) + " " + std::string(isa_name(isa)));
        const Trial<float> wanted = run_ref<float>(s, params);
        Trial<float> found(s);
        norm_neuron_forward_cpu(found.args(s, params, true), found.spikes.data(), isa);
        EXPECT_TRUE(all_close(found.mean, wanted.mean, {1e-6, 1e-6}));
        EXPECT_TRUE(all_close(found.variance, wanted.variance, {1e-6, 1e-5}));
        EXPECT_TRUE(all_close(found.inverse_std, wanted.inverse_std, {0, 1e-5}));
        found.mean = wanted.mean;
        found.inverse_std = wanted.inverse_std;
        norm_neuron_forward_cpu(found.args(s, params, false), found.spikes.data(), isa);
        EXPECT_TRUE(all_identical(found.spikes, wanted.spikes));
        norm_neuron_backward_cpu(found.args(s, params, true), found.gradients(), isa);
        EXPECT_TRUE(all_close(found.grad_x, wanted.grad_x, rounding(wanted.grad_x, 1e-5)));
        EXPECT_TRUE(
            all_close(found.grad_gamma, wanted.grad_gamma, rounding(wanted.grad_gamma, 1e-5)));
        EXPECT_TRUE(all_close(found.grad_beta, wanted.grad_beta, rounding(wanted.grad_beta, 1e-5)));
        if (HasFailure()) return;
      }
}

// By hand: h = 0.5 v + 0.5 x without a norm, threshold 1. x = 1, 1 and 3 at three steps: v is 0.5,
// 0.75, 0 after a spike. x = -2, 0, 0: v is -1, -0.5, -0.25. The mean is (1.25 + 1 + 1.75) / 6.
TEST(NormNeuron, ActivityIsTheMeanOfSpikesAndMembranes) {
  const std::vector<float> x{1, -2, 1, 0, 3, 0};
  for (const Isa isa : supported_isas()) {
    std::vector<float> spikes(6), activity{10};
    norm_neuron_forward_cpu({.params = {.k = 0.5},
                             .steps = 3,
                             .input_steps = 3,
                             .rows = 2,
                             .channels = 1,
                             .x = x.data(),
                             .activity = activity.data()},
                            spikes.data(), isa);
    EXPECT_TRUE(all_identical(spikes, std::vector<float>{0, 0, 0, 0, 1, 0}));
    EXPECT_NEAR(activity[0], 10 + 4.0 / 6, 1e-5) << isa_name(isa);
  }
}

TEST(NormNeuron, ActivityAgreesWithTheReferenceAndLeavesTheSpikes) {
  for (const NeuronParams& params : test::fusable_neuron_params())
    for (const Shape& s : {kShapes[0], kShapes[1], kShapes[7], kShapes[9], Shape{2, 4000, 9}})
      for (const Isa isa : supported_isas()) {
        SCOPED_TRACE(test::describe(params) + describe(s) + " " + std::string(isa_name(isa)));
        Trial<float> plain(s), watched(s), wanted(s);
        const auto channels = static_cast<size_t>(s.channels);
        std::vector<float> found(channels, 2), reference(channels, 2);
        norm_neuron_forward_cpu(plain.args(s, params, true), plain.spikes.data(), isa);
        NormNeuron<float> args = watched.args(s, params, true);
        args.activity = found.data();
        norm_neuron_forward_cpu(args, watched.spikes.data(), isa);
        EXPECT_TRUE(all_identical(watched.spikes, plain.spikes));
        // The same statistics, so that no rounding decides a spike.
        wanted.mean = watched.mean;
        wanted.inverse_std = watched.inverse_std;
        NormNeuron<float> given = wanted.args(s, params, false);
        given.activity = reference.data();
        norm_neuron_forward_ref(given, wanted.spikes.data(), 0, s.channels);
        EXPECT_TRUE(all_close(found, reference, {1e-5, 1e-5}));
        if (HasFailure()) return;
      }
}

// Given statistics are constants: nothing flows back through them.
TEST(NormNeuron, GivenStatisticsAreLeftAloneAndScaleTheGradient) {
  for (const Shape& s : kShapes)
    for (const Isa isa : supported_isas()) {
      SCOPED_TRACE(describe(s) + " " + std::string(isa_name(isa)));
      Trial<float> run(s), bare(s);
      const auto channels = static_cast<size_t>(s.channels);
      run.mean = normal_values<float>(channels, 1, 7);
      run.inverse_std = std::vector<float>(channels, 0.5f);
      const std::vector<float> mean = run.mean;
      norm_neuron_forward_cpu(run.args(s, {}, false), run.spikes.data(), isa);
      norm_neuron_backward_cpu(run.args(s, {}, false), run.gradients(), isa);
      EXPECT_TRUE(all_identical(run.mean, mean));
      // The neuron alone on what the norm gives.
      const auto channel_of = [&](size_t i) { return i % channels; };
      for (size_t i = 0; i < bare.x.size(); ++i) {
        const size_t c = channel_of(i);
        const float scale = run.inverse_std[c] * run.gamma[c];
        bare.x[i] = run.x[i] * scale + (run.beta[c] - run.mean[c] * scale);
      }
      const NormNeuron<float> alone = without_norm(bare.args(s, {}, false));
      norm_neuron_forward_cpu(alone, bare.spikes.data(), isa);
      norm_neuron_backward_cpu(alone, bare.gradients(), isa);
      EXPECT_TRUE(all_identical(run.spikes, bare.spikes));
      std::vector<double> grad_beta(channels), grad_gamma(channels);
      for (size_t i = 0; i < bare.grad_x.size(); ++i) {
        const size_t c = channel_of(i);
        grad_beta[c] += bare.grad_x[i];
        grad_gamma[c] += bare.grad_x[i] * (run.x[i] - run.mean[c]) * run.inverse_std[c];
        bare.grad_x[i] *= run.inverse_std[c] * run.gamma[c];
      }
      EXPECT_TRUE(all_close(run.grad_x, bare.grad_x, {1e-6, 1e-6}));
      const auto as_double = [](const std::vector<float>& v) {
        return std::vector<double>(v.begin(), v.end());
      };
      EXPECT_TRUE(all_close(as_double(run.grad_beta), grad_beta, rounding(grad_beta, 1e-5)));
      EXPECT_TRUE(all_close(as_double(run.grad_gamma), grad_gamma, rounding(grad_gamma, 1e-5)));
    }
}

TEST(NormNeuron, WithoutANormItIsTheNeuron) {
  for (const NeuronParams& params : test::fusable_neuron_params())
    for (const Shape& s : kShapes) {
      if (s.constant) continue;
      for (const Isa isa : supported_isas()) {
        Trial<float> run(s);
        const NormNeuron<float> args = without_norm(run.args(s, params, false));
        norm_neuron_forward_cpu(args, run.spikes.data(), isa);
        norm_neuron_backward_cpu(args, run.gradients(), isa);
        const auto wanted = test::run_neuron_cpu(params, s.steps, run.x, run.grad_spikes, isa);
        ASSERT_TRUE(all_identical(run.spikes, wanted.spikes))
            << test::describe(params) << describe(s) << " " << isa_name(isa);
        ASSERT_TRUE(all_close(run.grad_x, wanted.grad_x, {1e-6, 1e-6}));
      }
    }
}

TEST(NormNeuron, ALargeMeanKeepsTheVariance) {
  const Shape s{4, 8 * 36, 2};
  for (const Isa isa : supported_isas()) {
    Trial<float> run(s);
    double sum = 0, squares = 0;
    for (float& x : run.x) x += 1e4f;
    for (size_t i = 0; i < run.x.size(); ++i)
      if (i % 2 == 1) sum += run.x[i];
    const double count = static_cast<double>(run.x.size()) / 2, mean = sum / count;
    for (size_t i = 0; i < run.x.size(); ++i)
      if (i % 2 == 1) squares += (run.x[i] - mean) * (run.x[i] - mean);
    norm_neuron_forward_cpu(run.args(s, {}, true), run.spikes.data(), isa);
    EXPECT_NEAR(run.variance[1], squares / count, 1e-4) << isa_name(isa);
  }
}

TEST(NormNeuron, InputGradientMayOverwriteSpikeGradient) {
  const Shape s{5, 105, 17};
  for (const Isa isa : supported_isas()) {
    Trial<float> apart(s), shared(s);
    norm_neuron_forward_cpu(apart.args(s, {}, true), apart.spikes.data(), isa);
    norm_neuron_backward_cpu(apart.args(s, {}, true), apart.gradients(), isa);
    norm_neuron_forward_cpu(shared.args(s, {}, true), shared.spikes.data(), isa);
    NormNeuronGradients<float> gradients = shared.gradients();
    gradients.grad_x = shared.grad_spikes.data();
    norm_neuron_backward_cpu(shared.args(s, {}, true), gradients, isa);
    EXPECT_TRUE(all_identical(shared.grad_spikes, apart.grad_x)) << isa_name(isa);
  }
}

// More than one chunk of rows.
TEST(NormNeuron, OneThreadAndTwoGiveTheSameBits) {
  const Shape shapes[] = {{4, 5600, 9}, {8, 300, 130}, {5, 441, 40, true}};
  for (const Isa isa : supported_isas())
    for (const Shape& s : shapes)
      for (const bool norm : {true, false}) {
        SCOPED_TRACE(describe(s) + " " + std::string(isa_name(isa)));
        Trial<float> one(s), two(s);
        for (Trial<float>* run : {&one, &two}) {
          set_threads(run == &one ? 1 : 2);
          const NormNeuron<float> args = run->args(s, {.threshold = 0.5}, true);
          norm_neuron_forward_cpu(norm ? args : without_norm(args), run->spikes.data(), isa);
          norm_neuron_backward_cpu(norm ? args : without_norm(args), run->gradients(), isa);
        }
        set_threads(0);
        EXPECT_TRUE(all_identical(two.mean, one.mean));
        EXPECT_TRUE(all_identical(two.spikes, one.spikes));
        EXPECT_TRUE(all_identical(two.grad_x, one.grad_x));
        EXPECT_TRUE(all_identical(two.grad_gamma, one.grad_gamma));
        EXPECT_TRUE(all_identical(two.grad_beta, one.grad_beta));
      }
}

}  // namespace
}  // namespace spikenm::kernels
