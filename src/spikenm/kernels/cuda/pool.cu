// Channels-last. Forward: a thread owns V neighbouring channels of one output place. Backward: of
// one input place; it looks up the windows that cover the place, so nothing is added atomically.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/cuda/real.cuh"
#include "spikenm/kernels/pool.h"

namespace spikenm::kernels {
namespace {

// A place on a map of height x width, and its channels, from a thread's number. Divisions are in 32
// bits, which are enough for the number of threads.
struct MapPlace {
  int64_t offset;  // of the thread's first value in [n, height, width, channels]
  int image, row, column, channel;

  __device__ MapPlace(unsigned thread, unsigned height, unsigned width, unsigned channels,
                      unsigned per_thread) {
    const unsigned groups = channels / per_thread, place = thread / groups, line = place / width;
    offset = static_cast<int64_t>(thread) * per_thread;
    channel = static_cast<int>((thread - place * groups) * per_thread);
    column = static_cast<int>(place - line * width);
    image = static_cast<int>(line / height);
    row = static_cast<int>(line - image * height);
  }
  // Offset of the same channels at place (r, c) of the same image, on a map of the given size.
  __device__ int64_t other(int height, int width, int channels, int r, int c) const {
    return (static_cast<int64_t>(image * height + r) * width + c) * channels + channel;
  }
};

struct Sizes {
  int size, stride, padding, height, width, out_height, out_width, channels;
};

template <class T, int V>
__global__ void forward(Sizes s, bool is_max, int64_t threads, const T* x, T* y, uint8_t* chosen) {
  const int64_t thread = thread_index();
  if (thread >= threads) return;
  const MapPlace out(static_cast<unsigned>(thread), s.out_height, s.out_width, s.channels, V);
  const int top = out.row * s.stride - s.padding, left = out.column * s.stride - s.padding;
  const int rows_end = min(s.height, top + s.size), columns_end = min(s.width, left + s.size);
  const int row_begin = max(0, top), column_begin = max(0, left);

  float sum[V] = {}, best[V];
  int place[V] = {};
  for (int i = row_begin; i < rows_end; ++i)
    for (int j = column_begin; j < columns_end; ++j) {
      const auto pack = load<T, V>(x + out.other(s.height, s.width, s.channels, i, j));
      const bool first = i == row_begin && j == column_begin;
      for (int k = 0; k < V; ++k) {
        const float value = to_float(pack.value[k]);
        sum[k] += value;
        if (first || value > best[k]) {
          best[k] = value;
          place[k] = (i - top) * s.size + j - left;
        }
      }
    }

  Pack<T, V> result;
  Pack<uint8_t, V> where;
  const float share = 1.0f / static_cast<float>(s.size * s.size);
  for (int k = 0; k < V; ++k) {
    result.value[k] = from_float<T>(is_max ? best[k] : sum[k] * share);
    where.value[k] = static_cast<uint8_t>(place[k]);
  }
  store(y + out.offset, result);
  if (is_max) store(chosen + out.offset, where);
}

template <class T, int V>
__global__ void backward(Sizes s, bool is_max, int64_t threads, const T* grad_y,
                         const uint8_t* chosen, T* grad_x) {
  const int64_t thread = thread_index();
  if (thread >= threads) return;
  const MapPlace in(static_cast<unsigned>(thread), s.height, s.width, s.channels, V);

  // The windows r with r stride - padding <= row < r stride - padding + size.
  const int row = in.row + s.padding, column = in.column + s.padding;
  const int row_first = row < s.size ? 0 : (row - s.size) / s.stride + 1;
  const int column_first = column < s.size ? 0 : (column - s.size) / s.stride + 1;
  const int row_last = min(s.out_height - 1, row / s.stride);
  const int column_last = min(s.out_width - 1, column / s.stride);
  const float share = 1.0f / static_cast<float>(s.size * s.size);

  float sum[V] = {};
  for (int r = row_first; r <= row_last; ++r)
    for (int c = column_first; c <= column_last; ++c) {
      const int64_t at = in.other(s.out_height, s.out_width, s.channels, r, c);
      const auto grad = load<T, V>(grad_y + at);
      Pack<uint8_t, V> where{};
      if (is_max) where = load<uint8_t, V>(chosen + at);
      const int here = (row - r * s.stride) * s.size + column - c * s.stride;
      for (int k = 0; k < V; ++k) {
        const float g = to_float(grad.value[k]);
        sum[k] += is_max ? (where.value[k] == here ? g : 0.0f) : g * share;
      }
    }

  Pack<T, V> result;
  for (int k = 0; k < V; ++k) result.value[k] = from_float<T>(sum[k]);
  store(grad_x + in.offset, result);
}

// The backward when every input place is in at most one window: a thread owns an output place and
// writes its whole window. Places in no window are already zero.
template <class T, int V>
__global__ void backward_disjoint(Sizes s, bool is_max, int64_t threads, const T* grad_y,
                                  const uint8_t* chosen, T* grad_x) {
  const int64_t thread = thread_index();
  if (thread >= threads) return;
  const MapPlace out(static_cast<unsigned>(thread), s.out_height, s.out_width, s.channels, V);
  const auto grad = load<T, V>(grad_y + out.offset);
  Pack<uint8_t, V> where{};
  if (is_max) where = load<uint8_t, V>(chosen + out.offset);
  const float share = 1.0f / static_cast<float>(s.size * s.size);

  int place = 0;
  for (int i = 0; i < s.size; ++i)
    for (int j = 0; j < s.size; ++j, ++place) {
      Pack<T, V> result;
      for (int k = 0; k < V; ++k) {
        const float g = to_float(grad.value[k]);
        result.value[k] = from_float<T>(is_max ? (where.value[k] == place ? g : 0.0f) : g * share);
      }
      store(grad_x + out.other(s.height, s.width, s.channels, out.row * s.stride + i,
                               out.column * s.stride + j),
            result);
    }
}

Sizes sizes_of(const PoolShape& s, int64_t channels) {
  const PoolGeometry& g = s.geometry;
  return {.size = static_cast<int>(g.size),
          .stride = static_cast<int>(g.stride),
          .padding = static_cast<int>(g.padding),
          .height = static_cast<int>(s.height),
          .width = static_cast<int>(s.width),
          .out_height = static_cast<int>(s.out_height()),
          .out_width = static_cast<int>(s.out_width()),
          .channels = static_cast<int>(channels)};
}

// Calls launch(zero of the type, values per thread).
template <class Launch>
void with_type_and_width(Real real, int64_t channels, Launch&& launch) {
  with_type(real, [&](auto zero) {
    if (channels % 8 == 0) return launch(zero, std::integral_constant<int, 8>());
    launch(zero, std::integral_constant<int, 1>());
  });
}

}  // namespace

void pool_forward_cuda(const PoolShape& s, int64_t channels, Real real, const void* x, void* y,
                       uint8_t* chosen, void* stream) {
  const int64_t values = s.n * s.out_height() * s.out_width() * channels;
  if (values == 0) return;
  with_type_and_width(real, channels, [&](auto zero, auto width) {
    using T = decltype(zero);
    forward<T, width>
        <<<grid_for(values / width), kThreadsPerBlock, 0, static_cast<cudaStream_t>(stream)>>>(
            sizes_of(s, channels), s.geometry.kind == PoolKind::kMax, values / width,
            static_cast<const T*>(x), static_cast<T*>(y), chosen);
  });
  check_launch("pool_forward");
}

void pool_backward_cuda(const PoolShape& s, int64_t channels, Real real, const void* grad_y,
                        const uint8_t* chosen, void* grad_x, void* stream) {
  const int64_t values = s.n * s.height * s.width * channels;
  if (values == 0) return;
  const PoolGeometry& g = s.geometry;
  const int64_t out_values = s.n * s.out_height() * s.out_width() * channels;
  const auto queue = static_cast<cudaStream_t>(stream);

  with_type_and_width(real, channels, [&](auto zero, auto width) {
    using T = decltype(zero);
    const bool is_max = g.kind == PoolKind::kMax;
    if (g.stride >= g.size && g.padding == 0) {
      if (out_values * g.size * g.size < values)
        cudaMemsetAsync(grad_x, 0, static_cast<size_t>(values) * sizeof(T), queue);
      backward_disjoint<T, width><<<grid_for(out_values / width), kThreadsPerBlock, 0, queue>>>(
          sizes_of(s, channels), is_max, out_values / width, static_cast<const T*>(grad_y), chosen,
          static_cast<T*>(grad_x));
      return;
    }
    backward<T, width><<<grid_for(values / width), kThreadsPerBlock, 0, queue>>>(
        sizes_of(s, channels), is_max, values / width, static_cast<const T*>(grad_y), chosen,
        static_cast<T*>(grad_x));
  });
  check_launch("pool_backward");
}

}  // namespace spikenm::kernels
