// The GPU's sequence kernels, for every neuron against the CPU's, and for the one with two states
// against its oracle.
#include "spikenm/kernels/neuron_seq.h"

#include "cuda/run_neuron_cuda.h"
#include "support/compare.h"
#include "support/cuba_lif_oracle.h"
#include "support/normal_values.h"

#include <limits>

namespace spikenm::kernels {
namespace {

using test::all_close;
using test::all_identical;
using test::NeuronRun;
using test::normal_values;
using test::run_neuron_cuda;

// One thread, a block but one, a block, and one more.
constexpr int64_t kSizes[] = {0, 1, 255, 256, 257, 1000};

// h is the same operations in the same order; gradients divide by an approximation.
TEST(CudaNeuronSeq, SpikesMembranesAndGradientsAreTheCpus) {
  for (const NeuronParams& params : test::all_neuron_params())
    for (const int64_t steps : {1, 2, 5, 8})
      for (const int64_t n : kSizes) {
        SCOPED_TRACE(test::describe(params) + " T " + std::to_string(steps) + " n " +
                     std::to_string(n));
        const auto count = static_cast<size_t>(steps * n);
        const auto x = normal_values<float>(count, 1.5, 3), g = normal_values<float>(count, 1, 4);
        const NeuronRun<float> wanted = test::run_neuron_ref(params, steps, x, g);
        const NeuronRun<float> found = run_neuron_cuda(params, steps, x, g);
        EXPECT_TRUE(all_identical(found.spikes, wanted.spikes));
        EXPECT_TRUE(all_close(found.h, wanted.h, {1e-6, 1e-6}));
        EXPECT_TRUE(all_close(found.v, wanted.v, {1e-6, 1e-6}));
        EXPECT_TRUE(all_close(found.grad_x, wanted.grad_x, {1e-5, 1e-5}));
        EXPECT_NEAR(found.grad_k, wanted.grad_k, 1e-5 * static_cast<double>(count + 1));
        if (HasFailure()) return;
      }
}

TEST(CudaNeuronSeq, CubaLifIsItsOracle) {
  const auto widened = [](const std::vector<float>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  for (const NeuronParams& params : test::all_cuba_lif_params())
    for (const int64_t steps : {1, 2, 5, 8}) {
      SCOPED_TRACE(test::describe(params) + " k_syn " + std::to_string(params.k_syn) + " T " +
                   std::to_string(steps));
      const auto count = static_cast<size_t>(steps * 33);
      const auto x = normal_values<float>(count, 1.5, 3), g = normal_values<float>(count, 1, 4);
      const auto wanted = test::cuba_lif_oracle(params, steps, widened(x), widened(g));
      const NeuronRun<float> found = run_neuron_cuda(params, steps, x, g);
      EXPECT_TRUE(all_identical(widened(found.spikes), wanted.spikes));
      EXPECT_TRUE(all_close(widened(found.h), wanted.h, {1e-5, 1e-5}));
      EXPECT_TRUE(all_close(widened(found.v), wanted.v, {1e-5, 1e-5}));
      EXPECT_TRUE(all_close(widened(found.grad_x), wanted.grad_x, {1e-5, 1e-5}));
      EXPECT_EQ(found.grad_k, 0);
      if (HasFailure()) return;
    }
}

// At the end of the range it stops, and comes back from there; infinity would not, and 0 times
// infinity is NaN.
TEST(CudaNeuronSeq, ACurrentNeverLeavesTheRange) {
  NeuronParams params{.neuron = Neuron::kCubaLif};
  const auto expect_spikes = [&](double tau_syn, const std::vector<float>& x,
                                 const std::vector<float>& wanted) {
    params.k_syn = 1 / tau_syn;
    const auto steps = static_cast<int64_t>(x.size());
    const std::vector<float> ones(x.size(), 1);
    const auto run = run_neuron_cuda(params, steps, x, ones);
    EXPECT_EQ(run.spikes, wanted);
    for (const auto* values : {&run.h, &run.v, &run.grad_x}) EXPECT_TRUE(test::none_nan(*values));
  };
  expect_spikes(4, {3e38f, 3e38f, -3e38f, 0}, {1, 1, 0, 0});
  expect_spikes(1, {std::numeric_limits<float>::infinity(), 0.5f}, {1, 0});
}

}  // namespace
}  // namespace spikenm::kernels
