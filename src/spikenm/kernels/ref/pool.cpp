#include "spikenm/kernels/pool.h"

#include "spikenm/core/parallel.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

// Part of one window that lies on the map, and the window's own corner (outside where padded).
struct Window {
  int64_t top, left;
  int64_t row_begin, row_end, column_begin, column_end;
};

// Calls body(plane) on several threads, about 32 Ki values a chunk.
template <class Body>
void for_planes(const PoolShape& s, Body&& body) {
  const int64_t per_plane = std::max<int64_t>(1, s.height * s.width);
  parallel_for(s.n, std::max<int64_t>(1, 32768 / per_plane), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) body(plane);
  });
}

// Calls body(output index, window) for the windows of a plane, in order.
template <class Body>
void for_windows(const PoolShape& s, int64_t plane, Body&& body) {
  const PoolGeometry& g = s.geometry;
  const int64_t out_height = s.out_height(), out_width = s.out_width();
  int64_t at = plane * out_height * out_width;
  for (int64_t r = 0; r < out_height; ++r) {
    for (int64_t c = 0; c < out_width; ++c, ++at) {
      const int64_t top = r * g.stride - g.padding, left = c * g.stride - g.padding;
      body(at, Window{.top = top,
                      .left = left,
                      .row_begin = std::max<int64_t>(0, top),
                      .row_end = std::min(s.height, top + g.size),
                      .column_begin = std::max<int64_t>(0, left),
                      .column_end = std::min(s.width, left + g.size)});
    }
  }
}

}  // namespace

template <class T>
void pool_forward(const PoolShape& s, const T* x, T* y, uint8_t* chosen) {
  const int64_t size = s.geometry.size;
  const T share = T(1) / T(size * size);
  for_planes(s, [&](int64_t plane) {
    const T* const in = x + plane * s.height * s.width;
    for_windows(s, plane, [&](int64_t at, const Window& w) {
      T sum = 0, best = in[w.row_begin * s.width + w.column_begin];
      int64_t best_row = w.row_begin, best_column = w.column_begin;
      for (int64_t i = w.row_begin; i < w.row_end; ++i) {
        for (int64_t j = w.column_begin; j < w.column_end; ++j) {
          const T value = in[i * s.width + j];
          sum += value;
          if (value > best) {
            best = value;
            best_row = i;
            best_column = j;
          }
        }
      }
      if (s.geometry.kind == PoolKind::kAverage) {
        y[at] = sum * share;
      } else {
        y[at] = best;
        chosen[at] = static_cast<uint8_t>((best_row - w.top) * size + best_column - w.left);
      }
    });
  });
}

template <class T>
void pool_backward(const PoolShape& s, const T* grad_y, const uint8_t* chosen, T* grad_x) {
  const int64_t size = s.geometry.size;
  const T share = T(1) / T(size * size);
  for_planes(s, [&](int64_t plane) {
    T* const out = grad_x + plane * s.height * s.width;
    std::fill(out, out + s.height * s.width, T(0));
    for_windows(s, plane, [&](int64_t at, const Window& w) {
      if (s.geometry.kind == PoolKind::kMax) {
        out[(w.top + chosen[at] / size) * s.width + w.left + chosen[at] % size] += grad_y[at];
        return;
      }
      for (int64_t i = w.row_begin; i < w.row_end; ++i)
        for (int64_t j = w.column_begin; j < w.column_end; ++j)
          out[i * s.width + j] += grad_y[at] * share;
    });
  });
}

template void pool_forward(const PoolShape&, const float*, float*, uint8_t*);
template void pool_forward(const PoolShape&, const double*, double*, uint8_t*);
template void pool_backward(const PoolShape&, const float*, const uint8_t*, float*);
template void pool_backward(const PoolShape&, const double*, const uint8_t*, double*);

}  // namespace spikenm::kernels
