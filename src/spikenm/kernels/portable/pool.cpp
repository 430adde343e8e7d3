#include "spikenm/kernels/pool.h"

#include "spikenm/core/parallel.h"

#include <algorithm>

namespace spikenm::kernels {
namespace {

// The part of one window that lies on the map, and the window's corner, which padding puts outside.
struct Window {
  int64_t top, left;
  int64_t row_begin, row_end, column_begin, column_end;

  Window(const PoolShape& s, int64_t row, int64_t column)
      : top(row * s.geometry.stride - s.geometry.padding),
        left(column * s.geometry.stride - s.geometry.padding),
        row_begin(std::max<int64_t>(0, top)),
        row_end(std::min(s.height, top + s.geometry.size)),
        column_begin(std::max<int64_t>(0, left)),
        column_end(std::min(s.width, left + s.geometry.size)) {}

  // Calls body(pixel of the image, place in the window) for its pixels, row by row.
  template <class Body>
  void for_pixels(const PoolShape& s, Body&& body) const {
    for (int64_t i = row_begin; i < row_end; ++i)
      for (int64_t j = column_begin; j < column_end; ++j)
        body(i * s.width + j, static_cast<uint8_t>((i - top) * s.geometry.size + j - left));
  }
};

// Calls body(image) on several threads; about 32 Ki values per chunk.
template <class Body>
void for_images(const PoolShape& s, int64_t channels, Body&& body) {
  const int64_t per_image = std::max<int64_t>(1, s.height * s.width * channels);
  parallel_for(s.n, std::max<int64_t>(1, 32768 / per_image), [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) body(image);
  });
}

// Calls body(output pixel, window) for the windows of an image, in order.
template <class Body>
void for_windows(const PoolShape& s, int64_t image, Body&& body) {
  int64_t at = image * s.out_height() * s.out_width();
  for (int64_t r = 0; r < s.out_height(); ++r)
    for (int64_t c = 0; c < s.out_width(); ++c, ++at) body(at, Window(s, r, c));
}

// The inner loops, over the channels of a pixel.
template <class T>
void add_scaled(int64_t channels, const T* __restrict from, T scale, T* __restrict to) {
  for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * scale;
}

template <class T>
void keep_larger(int64_t channels, const T* __restrict from, uint8_t place, T* __restrict best,
                 uint8_t* __restrict chosen) {
  for (int64_t c = 0; c < channels; ++c) {
    const bool larger = from[c] > best[c];
    best[c] = larger ? from[c] : best[c];
    chosen[c] = larger ? place : chosen[c];
  }
}

template <class T>
void add_chosen(int64_t channels, const T* __restrict from, const uint8_t* __restrict chosen,
                uint8_t place, T* __restrict to) {
  for (int64_t c = 0; c < channels; ++c) to[c] += chosen[c] == place ? from[c] : T(0);
}

}  // namespace

template <class T>
void pool_forward(const PoolShape& s, int64_t channels, const T* x, T* y, uint8_t* chosen) {
  const T share = T(1) / T(s.geometry.size * s.geometry.size);
  for_images(s, channels, [&](int64_t image) {
    const T* const in = x + image * s.height * s.width * channels;
    for_windows(s, image, [&](int64_t at, const Window& w) {
      T* const out = y + at * channels;
      if (s.geometry.kind == PoolKind::kAverage) {
        std::fill(out, out + channels, T(0));
        w.for_pixels(s, [&](int64_t pixel, uint8_t) {
          add_scaled(channels, in + pixel * channels, share, out);
        });
        return;
      }

      uint8_t* const places = chosen + at * channels;
      bool first = true;
      w.for_pixels(s, [&](int64_t pixel, uint8_t place) {
        const T* const from = in + pixel * channels;
        if (first) {
          std::copy(from, from + channels, out);
          std::fill(places, places + channels, place);
        } else {
          keep_larger(channels, from, place, out, places);
        }
        first = false;
      });
    });
  });
}

template <class T>
void pool_backward(const PoolShape& s, int64_t channels, const T* grad_y, const uint8_t* chosen,
                   T* grad_x) {
  const T share = T(1) / T(s.geometry.size * s.geometry.size);
  for_images(s, channels, [&](int64_t image) {
    T* const out = grad_x + image * s.height * s.width * channels;
    std::fill(out, out + s.height * s.width * channels, T(0));
    for_windows(s, image, [&](int64_t at, const Window& w) {
      const T* const from = grad_y + at * channels;
      w.for_pixels(s, [&](int64_t pixel, uint8_t place) {
        if (s.geometry.kind == PoolKind::kMax) {
          add_chosen(channels, from, chosen + at * channels, place, out + pixel * channels);
        } else {
          add_scaled(channels, from, share, out + pixel * channels);
        }
      });
    });
  });
}

template void pool_forward(const PoolShape&, int64_t, const float*, float*, uint8_t*);
template void pool_forward(const PoolShape&, int64_t, const double*, double*, uint8_t*);
template void pool_backward(const PoolShape&, int64_t, const float*, const uint8_t*, float*);
template void pool_backward(const PoolShape&, int64_t, const double*, const uint8_t*, double*);

}  // namespace spikenm::kernels
