#include "spikenm/kernels/sop_count.h"

#include "spikenm/core/parallel.h"

#include <algorithm>
#include <array>

namespace spikenm::kernels {
namespace {

constexpr int64_t kBlock = 1024;  // places whose sums stay in the first-level cache

template <class T>
void add_to(int64_t n, const T* __restrict x, double* __restrict sums) {
  for (int64_t i = 0; i < n; ++i) sums[i] += static_cast<double>(x[i]);
}

// Counts n places, at most kBlock. Samples are added up first, so that each place is multiplied
// once.
template <class T>
double count_block(int64_t samples, int64_t places, int64_t n, const T* x, const float* reach) {
  std::array<double, kBlock> sums{};
  for (int64_t s = 0; s < samples; ++s) add_to(n, x + s * places, sums.data());
  double count = 0;
  for (int64_t i = 0; i < n; ++i) count += sums[static_cast<size_t>(i)] * reach[i];
  return count;
}

template <class T>
void add_live(int64_t n, const T* __restrict w, float* __restrict live) {
  for (int64_t i = 0; i < n; ++i) live[i] += w[i] != 0 ? 1.0f : 0.0f;
}

}  // namespace

template <class T>
double sop_count(int64_t samples, int64_t places, const T* x, const float* reach) {
  if (places == 0) return 0;
  return parallel_sum(
      samples, std::max<int64_t>(16, 32768 / places), [&](int64_t begin, int64_t end) {
        double count = 0;
        for (int64_t first = 0; first < places; first += kBlock)
          count += count_block(end - begin, places, std::min(kBlock, places - first),
                               x + begin * places + first, reach + first);
        return count;
      });
}

template <class T>
void count_live(int64_t outputs, int64_t inputs, const T* w, float* live) {
  parallel_for(inputs, kBlock, [&](int64_t begin, int64_t end) {
    for (int64_t o = 0; o < outputs; ++o)
      add_live(end - begin, w + o * inputs + begin, live + begin);
  });
}

template double sop_count(int64_t, int64_t, const float*, const float*);
template double sop_count(int64_t, int64_t, const double*, const float*);
template void count_live(int64_t, int64_t, const float*, float*);
template void count_live(int64_t, int64_t, const double*, float*);

}  // namespace spikenm::kernels
