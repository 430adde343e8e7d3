#include "spikenm/kernels/nm_sample.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/math/straight_through.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace spikenm::kernels {
namespace {

using nm::BlockLayout;
using nm::NmPattern;

constexpr int64_t kBlocksPerChunk = 1024;

// The credits of one block, summed over sharing channels and scaled as asked.
template <class T>
void load_credits(const Distillation<T>& a, int64_t b, T* credits) {
  const BlockLayout& layout = a.draw.layout;
  const int32_t m = layout.m;
  if (a.credit == nullptr) {
    std::fill(credits, credits + m, T(0));
    return;
  }
  const int64_t start = layout.start(b);
  T sum = 0;
  for (int32_t s = 0; s < m; ++s) {
    credits[s] = 0;
    for (int32_t c = 0; c < layout.channels_of(b); ++c)
      credits[s] += a.credit[start + c * layout.channel_stride + s * layout.position_stride];
    sum += credits[s];
  }
  const T mean = sum / T(m);
  T shift = 0, divisor = 1;
  switch (a.credit_scale) {
    case CreditScale::kRaw:
      break;
    case CreditScale::kBlockMean:
      divisor = mean;
      break;
    case CreditScale::kLayerMean:
      divisor = a.layer_mean;
      break;
    case CreditScale::kBlockZ: {
      T squares = 0;
      for (int32_t s = 0; s < m; ++s) squares += (credits[s] - mean) * (credits[s] - mean);
      shift = mean;
      divisor = std::sqrt(squares / T(m));
      break;
    }
  }
  // A block that earned nothing (or the same everywhere) has no preference: q is uniform.
  for (int32_t s = 0; s < m; ++s)
    credits[s] = divisor > T(0) ? (credits[s] - shift) / divisor : T(0);
}

template <class T>
double distill_block(const Distillation<T>& a, int64_t b) {
  const int32_t m = a.draw.layout.m;
  T q[NmPattern::kMaxM], pi[NmPattern::kMaxM];
  load_credits(a, b, q);
  block_softmax(q, m, a.tau_q);  // Eq. (20): q = softmax(C / tau_q) inside the block
  load_block_values(a.draw, b, pi);
  block_softmax(pi, m, T(1));  // Eq. (19): pi = softmax(theta), logits without constraint
  double kl = 0;
  for (int32_t s = 0; s < m; ++s) {
    // Eq. (21): L_EID = (1/B) sum_i KL(q_i || pi_i); its gradient on theta is (lambda/B)(pi - q).
    a.grad_logits[b * m + s] += a.scale * (pi[s] - q[s]);
    if (q[s] > T(0))
      kl += static_cast<double>(q[s]) *
            (std::log(double(q[s])) - std::log(std::max(double(pi[s]), 1e-300)));
  }
  return kl;
}

}  // namespace

void gumbel_fill_ref(const GumbelFill& a) {
  for (int64_t i = 0; i < a.n; ++i) {
    const auto words = philox<uint32_t>(a.seed, a.stream, a.step, a.index_low[i], a.index_high[i]);
    for (int w = 0; w < 4; ++w) a.out[w * a.n + i] = gumbel<float>(words.word[w]);
  }
}

void nm_draw_ref(const DrawInputs<float>& in, uint8_t* draws) {
  const int32_t m = in.layout.m;
  float values[NmPattern::kMaxM];
  for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
    load_block_values(in, b, values);
    draw_block(
        values, m, in.n_draws, in.replace, in.noise,
        [&](int32_t k, int32_t s) { return gumbel_at(in.seed, in.stream, in.step, b, k, s, m); },
        draws + b * in.n_draws);
  }
}

void nm_top_n(const DrawInputs<float>& in, uint8_t* draws) {
  float values[NmPattern::kMaxM];
  for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
    load_block_values(in, b, values);
    draw_block(
        values, in.layout.m, in.n_draws, /*replace=*/false, 0.0f,
        [](int32_t, int32_t) { return 0.0f; }, draws + b * in.n_draws);
  }
}

void nm_mask(const BlockLayout& layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep) {
  std::memset(keep, 1, static_cast<size_t>(layout.numel));
  parallel_for(layout.n_blocks, kBlocksPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      uint64_t bits = 0;
      for (int32_t k = 0; k < n_draws; ++k) bits |= uint64_t{1} << draws[b * n_draws + k];
      const int64_t start = layout.start(b);
      for (int32_t c = 0; c < layout.channels_of(b); ++c)
        for (int32_t s = 0; s < layout.m; ++s)
          keep[start + c * layout.channel_stride + s * layout.position_stride] = bits >> s & 1;
    }
  });
}

template <class T>
void nm_straight_through_ref(const StraightThrough<T>& args) {
  const DrawInputs<T>& in = args.draw;
  std::vector<T> soft(static_cast<size_t>(in.n_draws) * static_cast<size_t>(in.layout.m));
  for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
    straight_through_block(
        args, b,
        [&](int32_t k, int32_t s) {
          return gumbel_at(in.seed, in.stream, in.step, b, k, s, in.layout.m);
        },
        soft.data());
  }
}

template <class T>
double nm_distill(const Distillation<T>& args) {
  return parallel_sum(args.draw.layout.n_blocks, kBlocksPerChunk, [&](int64_t begin, int64_t end) {
    double kl = 0;
    for (int64_t b = begin; b < end; ++b) kl += distill_block(args, b);
    return kl;
  });
}

template void nm_straight_through_ref(const StraightThrough<float>&);
template void nm_straight_through_ref(const StraightThrough<double>&);
template double nm_distill(const Distillation<float>&);
template double nm_distill(const Distillation<double>&);

}  // namespace spikenm::kernels
