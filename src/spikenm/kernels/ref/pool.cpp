#include "spikenm/kernels/pool.h"

#include "spikenm/core/parallel.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

// Calls body(plane) on several threads, about 32 Ki values a chunk.
template <class Body>
void for_planes(const PoolShape& s, Body&& body) {
  const int64_t per_plane = std::max<int64_t>(1, s.height * s.width);
  parallel_for(s.n, std::max<int64_t>(1, 32768 / per_plane), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) body(plane);
  });
}

}  // namespace

template <class T>
void pool_forward(const PoolShape& s, const T* x, T* y, uint8_t* chosen) {
  const int64_t out_height = s.height / s.size, out_width = s.width / s.size;
  const T share = T(1) / T(s.size * s.size);
  for_planes(s, [&](int64_t plane) {
    const T* const in = x + plane * s.height * s.width;
    int64_t at = plane * out_height * out_width;
    for (int64_t r = 0; r < out_height; ++r) {
      for (int64_t c = 0; c < out_width; ++c, ++at) {
        const T* const window = in + (r * s.width + c) * s.size;
        T sum = 0, best = window[0];
        uint8_t best_at = 0;
        for (int64_t i = 0; i < s.size; ++i) {
          for (int64_t j = 0; j < s.size; ++j) {
            const T value = window[i * s.width + j];
            sum += value;
            if (value > best) {
              best = value;
              best_at = static_cast<uint8_t>(i * s.size + j);
            }
          }
        }
        if (s.kind == PoolKind::kAverage) {
          y[at] = sum * share;
        } else {
          y[at] = best;
          chosen[at] = best_at;
        }
      }
    }
  });
}

template <class T>
void pool_backward(const PoolShape& s, const T* grad_y, const uint8_t* chosen, T* grad_x) {
  const int64_t out_height = s.height / s.size, out_width = s.width / s.size;
  const T share = T(1) / T(s.size * s.size);
  for_planes(s, [&](int64_t plane) {
    T* const out = grad_x + plane * s.height * s.width;
    std::fill(out, out + s.height * s.width, T(0));
    int64_t at = plane * out_height * out_width;
    for (int64_t r = 0; r < out_height; ++r) {
      for (int64_t c = 0; c < out_width; ++c, ++at) {
        T* const window = out + (r * s.width + c) * s.size;
        if (s.kind == PoolKind::kMax) {
          window[chosen[at] / s.size * s.width + chosen[at] % s.size] = grad_y[at];
          continue;
        }
        for (int64_t i = 0; i < s.size; ++i)
          for (int64_t j = 0; j < s.size; ++j) window[i * s.width + j] = grad_y[at] * share;
      }
    }
  });
}

template void pool_forward(const PoolShape&, const float*, float*, uint8_t*);
template void pool_forward(const PoolShape&, const double*, double*, uint8_t*);
template void pool_backward(const PoolShape&, const float*, const uint8_t*, float*);
template void pool_backward(const PoolShape&, const double*, const uint8_t*, double*);

}  // namespace spikenm::kernels
