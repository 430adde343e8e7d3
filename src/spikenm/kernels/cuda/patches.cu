// A thread makes 8 neighbouring values of a row.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/patches.h"

namespace spikenm::kernels {
namespace {

constexpr int kWidth = 8;

template <class From, class T>
__global__ void fill_rows(Patches a, int64_t threads) {
  const int64_t thread = thread_index();
  if (thread >= threads) return;

  const auto groups = static_cast<unsigned>(a.columns / kWidth);
  const auto row = static_cast<unsigned>(thread / groups);
  const unsigned first = static_cast<unsigned>(thread - int64_t{row} * groups) * kWidth;
  const auto out_width = static_cast<unsigned>(a.out_width);
  const auto out_height = static_cast<unsigned>(a.out_height);
  const unsigned line = row / out_width, image = line / out_height;
  const int top = static_cast<int>((line - image * out_height) * a.stride - a.padding);
  const int left = static_cast<int>((row - line * out_width) * a.stride - a.padding);
  const auto channels = static_cast<unsigned>(a.channels);
  const auto kernel_width = static_cast<unsigned>(a.kernel_width);
  const From* const x = static_cast<const From*>(a.x) + image * a.x_strides[0];

  Pack<T, kWidth> values;
#pragma unroll
  for (int k = 0; k < kWidth; ++k) {
    const unsigned tap = (first + k) / channels, channel = (first + k) - tap * channels;
    const unsigned i = tap / kernel_width, j = tap - i * kernel_width;
    const int y = top + static_cast<int>(i), z = left + static_cast<int>(j);
    const bool inside = i < a.kernel_height && y >= 0 && y < a.height && z >= 0 && z < a.width;
    values.value[k] = from_float<T>(
        inside ? to_float(x[channel * a.x_strides[1] + y * a.x_strides[2] + z * a.x_strides[3]])
               : 0.0f);
  }

  store(static_cast<T*>(a.rows) + thread * kWidth, values);
}

}  // namespace

void patches_cuda(const Patches& a, void* stream) {
  const int64_t rows = a.n * a.out_height * a.out_width, threads = rows * a.columns / kWidth;
  if (threads == 0) return;
  if (rows >= int64_t{1} << 31)
    throw std::runtime_error("patches: found 2^31 output places or more, wanted fewer");

  with_type(a.x_real, [&](auto from) {
    with_type(a.real, [&](auto zero) {
      fill_rows<decltype(from), decltype(zero)>
          <<<grid_for(threads), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(a,
                                                                                          threads);
    });
  });
  check_launch("patches");
}

}  // namespace spikenm::kernels
