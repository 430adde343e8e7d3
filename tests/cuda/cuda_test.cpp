// The GPU's kernels: neurons against SpikingJelly and the reference, masks bit for bit the CPU's.
#include "golden/golden_check.h"
#include "spikenm/kernels/nm_sample.h"
#include "support/block_sample.h"

#include <cuda_runtime.h>

namespace spikenm {
namespace {

using kernels::DrawInputs;
using kernels::NeuronParams;
using test::NeuronRun;

// Device memory that lives as long as this.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t n) : n_(n) {
    if (cudaMalloc(&data_, std::max<size_t>(1, n) * sizeof(T)) != cudaSuccess)
      throw std::runtime_error("cudaMalloc failed");
    cudaMemset(data_, 0, std::max<size_t>(1, n) * sizeof(T));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::vector<T> host() const {
    std::vector<T> values(n_);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  size_t n_;
  T* data_ = nullptr;
};

NeuronRun<float> run_neuron_cuda(const NeuronParams& params, int64_t steps,
                                 const std::vector<float>& x, const std::vector<float>& g) {
  const DeviceArray<float> input(x), grad(g), spikes(x.size()), h(x.size()), v(x.size()),
      grad_x(x.size()), grad_k(size_t{1});
  const int64_t n = static_cast<int64_t>(x.size()) / steps;
  kernels::neuron_forward_cuda({.params = params,
                                .steps = steps,
                                .n = n,
                                .x = input.get(),
                                .spikes = spikes.get(),
                                .h = h.get(),
                                .v = v.get()},
                               nullptr);
  kernels::neuron_backward_cuda({.params = params,
                                 .steps = steps,
                                 .n = n,
                                 .grad_spikes = grad.get(),
                                 .h = h.get(),
                                 .x = input.get(),
                                 .grad_x = grad_x.get()},
                                grad_k.get(), nullptr);
  return {.spikes = spikes.host(),
          .h = h.host(),
          .v = v.host(),
          .grad_x = grad_x.host(),
          .grad_k = grad_k.host()[0]};
}

TEST(golden, CudaAgreesWithSpikingJelly) {
  test::for_each_case("float32", [](const test::Golden& golden, const test::GoldenCase& c) {
    test::expect_agrees<float>(golden, c, run_neuron_cuda);
  });
}

TEST(CudaDraw, MasksAreBitForBitTheCpus) {
  for (const int m : {1, 3, 4, 8, 16, 31, 64})
    for (const nm::BlockLayout& layout : test::all_layouts(m, 37))
      for (const bool replace : {true, false})
        for (const float kappa : {0.0f, 1.0f}) {
          const test::BlockSample<float> sample(layout);
          const int32_t n_draws = std::min(m, 3);
          DrawInputs<float> in = sample.inputs(n_draws, replace);
          in.kappa = kappa;
          std::vector<uint8_t> wanted(static_cast<size_t>(layout.n_blocks * n_draws));
          kernels::nm_draw_cpu(in, wanted.data());
          const DeviceArray<float> logits(sample.logits), weight(sample.weight);
          const DeviceArray<uint8_t> draws(wanted.size());
          in.logits = logits.get();
          in.weight = weight.get();
          kernels::nm_draw_cuda(in, draws.get(), nullptr);
          EXPECT_EQ(draws.host(), wanted) << "m " << m << " replace " << replace;
        }
}

// A million draws of a large layer: every rounding of the noise must agree.
TEST(CudaDraw, AMillionBlocksAgree) {
  const nm::NmPattern pattern{.n = 2, .m = 4, .share = 1};
  const nm::BlockLayout layout = nm::make_layout({1024, 4096, 1, 1}, pattern, nm::Axis::kIn, "fc");
  const test::BlockSample<float> sample(layout);
  DrawInputs<float> in = sample.inputs(2, true);
  std::vector<uint8_t> wanted(static_cast<size_t>(layout.n_blocks * 2));
  kernels::nm_draw_cpu(in, wanted.data());
  const DeviceArray<float> logits(sample.logits);
  const DeviceArray<uint8_t> draws(wanted.size());
  in.logits = logits.get();
  kernels::nm_draw_cuda(in, draws.get(), nullptr);
  EXPECT_TRUE(draws.host() == wanted);
}

}  // namespace
}  // namespace spikenm
