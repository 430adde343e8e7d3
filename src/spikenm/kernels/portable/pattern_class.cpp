#include "spikenm/kernels/pattern_class.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/cpu/table.h"
#include "spikenm/kernels/math/straight_through.h"
#include "spikenm/kernels/nm_sample.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace spikenm::kernels {
namespace {

// The noise of all patterns of blocks [begin, end), made in one call: vectors are full at any M.
class PatternNoise {
 public:
  static int64_t blocks_per_chunk(int64_t n_patterns) {
    return std::max<int64_t>(1, 4096 / counters(n_patterns));
  }

  PatternNoise(uint64_t seed, uint32_t stream, uint32_t step, int64_t n_patterns, int64_t begin,
               int64_t end)
      : begin_(begin), per_block_(counters(n_patterns)), n_((end - begin) * per_block_) {
    std::vector<uint32_t> low(static_cast<size_t>(n_)), high(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) {
      const auto counter = static_cast<uint64_t>(begin * per_block_ + i);
      low[static_cast<size_t>(i)] = static_cast<uint32_t>(counter);
      high[static_cast<size_t>(i)] = static_cast<uint32_t>(counter >> 32);
    }
    noise_.resize(static_cast<size_t>(4 * n_));
    cpu_kernels(active_isa())
        .gumbel_fill({.seed = seed,
                      .stream = stream,
                      .step = step,
                      .n = n_,
                      .index_low = low.data(),
                      .index_high = high.data(),
                      .out = noise_.data()});
  }

  [[nodiscard]] float at(int64_t b, int64_t p) const {
    return noise_[static_cast<size_t>(p % 4 * n_ + (b - begin_) * per_block_ + p / 4)];
  }

 private:
  static int64_t counters(int64_t n_patterns) { return (n_patterns + 3) / 4; }

  int64_t begin_, per_block_, n_;
  std::vector<float> noise_;
};

// The mask is sum_p y_p pattern_p, so u_p = dL/dy_p = sum_s pattern_{p,s} G_s, and with
// y~ = softmax((theta + g)/tau)
//   dL/dtheta_p = (1/tau) y~_p (u_p - sum_r y~_r u_r).
template <class T>
void backward_block(const PatternClassBackward<T>& a, int64_t b, const PatternNoise& noise) {
  T gradient[nm::NmPattern::kMaxM];
  load_mask_gradient<AnyBlock>(a.layout, a.weight, a.grad_effective, b, gradient);

  const T* const logits = a.logits + b * a.n_patterns;
  T* const out = a.grad_logits + b * a.n_patterns;  // holds y~ first
  T top = logits[0] + T(noise.at(b, 0));
  for (int64_t p = 0; p < a.n_patterns; ++p) {
    out[p] = logits[p] + T(noise.at(b, p));
    top = larger(top, out[p]);
  }

  std::vector<T> u(static_cast<size_t>(a.n_patterns), T(0));
  T sum = 0, dot = 0;
  for (int64_t p = 0; p < a.n_patterns; ++p) {
    for (nm::BlockBits bits = a.patterns[p]; bits != 0; bits &= bits - 1)
      u[static_cast<size_t>(p)] += gradient[std::countr_zero(bits)];
    out[p] = exp_nonpositive((out[p] - top) / a.tau);
    sum += out[p];
    dot += out[p] * u[static_cast<size_t>(p)];
  }

  for (int64_t p = 0; p < a.n_patterns; ++p)
    out[p] *= (u[static_cast<size_t>(p)] - dot / sum) / (sum * a.tau);
}

}  // namespace

void pattern_class_draw(const PatternClassDraw& a, uint32_t* chosen) {
  parallel_for(a.n_blocks, PatternNoise::blocks_per_chunk(a.n_patterns),
               [&](int64_t begin, int64_t end) {
                 const PatternNoise noise(a.seed, a.stream, a.step, a.n_patterns, begin, end);
                 for (int64_t b = begin; b < end; ++b) {
                   const float* const logits = a.logits + b * a.n_patterns;
                   int64_t best = 0;
                   float best_key = logits[0] + a.noise * noise.at(b, 0);
                   for (int64_t p = 1; p < a.n_patterns; ++p) {
                     const float key = logits[p] + a.noise * noise.at(b, p);
                     if (key > best_key) {
                       best = p;
                       best_key = key;
                     }
                   }
                   chosen[b] = static_cast<uint32_t>(best);
                 }
               });
}

template <class T>
void pattern_class_backward(const PatternClassBackward<T>& a) {
  parallel_for(a.layout.n_blocks, PatternNoise::blocks_per_chunk(a.n_patterns),
               [&](int64_t begin, int64_t end) {
                 const PatternNoise noise(a.seed, a.stream, a.step, a.n_patterns, begin, end);
                 for (int64_t b = begin; b < end; ++b) backward_block(a, b, noise);
               });
}

template void pattern_class_backward(const PatternClassBackward<float>&);
template void pattern_class_backward(const PatternClassBackward<double>&);

}  // namespace spikenm::kernels
