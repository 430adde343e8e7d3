#include "spikenm/kernels/batch_norm.h"

#include "spikenm/core/parallel.h"

#include <cmath>

namespace spikenm::kernels {
namespace {

// Sixteen partial sums, which a compiler can keep in vector registers, added up in a fixed order.
template <class T>
struct LaneSum {
  static constexpr int kLanes = 16;
  T lane[kLanes] = {};

  template <class Term>
  void add(int64_t n, Term&& term) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (int j = 0; j < kLanes; ++j) lane[j] += term(i + j);
    for (int j = 0; i < n; ++i, ++j) lane[j] += term(i);
  }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const T value : lane) sum += static_cast<double>(value);
    return sum;
  }
};

// Calls body(offset of the row) for every row of channel c.
template <class T, class Body>
void for_rows(const BatchNorm<T>& a, int64_t c, Body&& body) {
  for (int64_t r = 0; r < a.rows; ++r) body((r * a.channels + c) * a.spatial);
}

// Calls body(channel) on several threads; about 64 Ki values per chunk.
template <class T, class Body>
void for_channels(const BatchNorm<T>& a, Body&& body) {
  const int64_t per_channel = std::max<int64_t>(1, a.rows * a.spatial);
  parallel_for(a.channels, std::max<int64_t>(1, 65536 / per_channel),
               [&](int64_t begin, int64_t end) {
                 for (int64_t c = begin; c < end; ++c) body(c);
               });
}

}  // namespace

template <class T>
void batch_norm_statistics(const BatchNorm<T>& a, T* variance) {
  const double count = static_cast<double>(a.rows * a.spatial);
  for_channels(a, [&](int64_t c) {
    LaneSum<T> sum;
    for_rows(a, c, [&](int64_t at) { sum.add(a.spatial, [&](int64_t i) { return a.x[at + i]; }); });
    const T mean = static_cast<T>(sum.total() / count);

    // A second pass: with a large mean, sums of squares alone would lose all digits.
    LaneSum<T> squares;
    for_rows(a, c, [&](int64_t at) {
      squares.add(a.spatial,
                  [&](int64_t i) { return (a.x[at + i] - mean) * (a.x[at + i] - mean); });
    });

    const double var = squares.total() / count;
    a.mean[c] = mean;
    variance[c] = static_cast<T>(var);
    a.inverse_std[c] = static_cast<T>(1.0 / std::sqrt(var + a.eps));
  });
}

template <class T>
void batch_norm_apply(const BatchNorm<T>& a, T* y) {
  for_channels(a, [&](int64_t c) {
    const T scale = a.inverse_std[c] * a.gamma[c];
    const T shift = a.beta[c] - a.mean[c] * scale;
    for_rows(a, c, [&](int64_t at) {
      for (int64_t i = 0; i < a.spatial; ++i) y[at + i] = a.x[at + i] * scale + shift;
    });
  });
}

template <class T>
void batch_norm_backward(const BatchNorm<T>& a, const T* grad_y, T* grad_x, T* grad_gamma,
                         T* grad_beta) {
  const T count = static_cast<T>(a.rows * a.spatial);
  for_channels(a, [&](int64_t c) {
    const T mean = a.mean[c], inverse_std = a.inverse_std[c];
    LaneSum<T> sum, dot;
    for_rows(a, c, [&](int64_t at) {
      sum.add(a.spatial, [&](int64_t i) { return grad_y[at + i]; });
      dot.add(a.spatial, [&](int64_t i) { return grad_y[at + i] * (a.x[at + i] - mean); });
    });
    grad_beta[c] = static_cast<T>(sum.total());
    grad_gamma[c] = static_cast<T>(dot.total()) * inverse_std;

    // dx = gamma inverse_std (dy - mean(dy) - xhat mean(dy xhat))
    const T scale = a.gamma[c] * inverse_std;
    const T mean_grad = grad_beta[c] / count;
    const T slope = grad_gamma[c] * inverse_std / count;
    for_rows(a, c, [&](int64_t at) {
      for (int64_t i = 0; i < a.spatial; ++i)
        grad_x[at + i] = scale * (grad_y[at + i] - mean_grad - (a.x[at + i] - mean) * slope);
    });
  });
}

#define SPIKENM_INSTANTIATE(T)                                  \
  template void batch_norm_statistics(const BatchNorm<T>&, T*); \
  template void batch_norm_apply(const BatchNorm<T>&, T*);      \
  template void batch_norm_backward(const BatchNorm<T>&, const T*, T*, T*, T*);
SPIKENM_INSTANTIATE(float)
SPIKENM_INSTANTIATE(double)
#undef SPIKENM_INSTANTIATE

}  // namespace spikenm::kernels
