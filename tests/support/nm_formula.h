// The gradients of one block as docs/method.md writes them, in double and coded apart from the
// kernels: plain exponentials and the full Jacobian of the softmax.
#pragma once

#include "spikenm/kernels/math/block_draw.h"
#include "support/block_sample.h"

#include <cmath>
#include <vector>

namespace spikenm::test {

inline std::vector<double> softmax(const std::vector<double>& values, double tau) {
  std::vector<double> y;
  double sum = 0;
  for (const double value : values) sum += std::exp(value / tau);
  for (const double value : values) y.push_back(std::exp(value / tau) / sum);
  return y;
}

// sum over the weight blocks that share mask block b of f(element of position s).
template <class F>
std::vector<double> sum_members(const nm::BlockLayout& layout, int64_t b, F&& f) {
  std::vector<double> sums(static_cast<size_t>(layout.m), 0.0);
  for (size_t s = 0; s < sums.size(); ++s)
    for (int32_t i = 0; i < layout.members_of(b); ++i)
      sums[s] += f(static_cast<size_t>(layout.start(b) + layout.member(i) +
                                       static_cast<int64_t>(s) * layout.position_stride));
  return sums;
}

// theta_s + kappa log |w_s|, |w| the mean over sharing weight blocks.
inline std::vector<double> block_values(const kernels::DrawInputs<double>& in, int64_t b) {
  auto values = sum_members(in.layout, b, [&](size_t at) { return std::abs(in.weight[at]); });
  for (size_t s = 0; s < values.size(); ++s)
    values[s] = in.logits[static_cast<size_t>(b) * values.size() + s] +
                in.kappa * std::log(values[s] / in.layout.members_of(b));
  return values;
}

struct BlockFormula {
  kernels::DrawInputs<double> in;
  std::vector<uint8_t> draws;    // [n_blocks, n_draws]
  std::vector<double> gradient;  // dL/dW_eff
  double tau;

  [[nodiscard]] size_t drawn(int64_t b, int32_t k) const {
    return draws[static_cast<size_t>(b * in.n_draws + k)];
  }

  // G_s = (dL/dW_eff,s) W_s.
  [[nodiscard]] std::vector<double> mask_gradient(int64_t b) const {
    return sum_members(in.layout, b, [&](size_t at) { return gradient[at] * in.weight[at]; });
  }

  // y~_k = softmax((theta + g_k) / tau); without replacement taken positions are at -infinity.
  [[nodiscard]] std::vector<std::vector<double>> relaxed_draws(int64_t b) const {
    std::vector<std::vector<double>> rows;
    for (int32_t k = 0; k < in.n_draws; ++k) {
      std::vector<double> keys = block_values(in, b);
      for (int32_t s = 0; s < in.layout.m; ++s)
        keys[static_cast<size_t>(s)] +=
            in.noise * kernels::gumbel_at(in.seed, in.stream, in.step, b, k, s, in.layout.m);
      for (int32_t l = 0; !in.replace && l < k; ++l) keys[drawn(b, l)] = -INFINITY;
      rows.push_back(softmax(keys, tau));
    }
    return rows;
  }

  // sum_s G_s M_s with the relaxed mask.
  [[nodiscard]] double relaxed_loss(int64_t b) const {
    const auto y = relaxed_draws(b);
    const auto g = mask_gradient(b);
    double loss = 0;
    for (size_t s = 0; s < g.size(); ++s) {
      double sum = 0, none = 1;
      for (const auto& row : y) {
        sum += row[s];
        none *= 1 - row[s];
      }
      loss += g[s] * (in.replace ? 1 - none : sum);
    }
    return loss;
  }

  // sum_k sum_s u_{k,s} dy~_{k,s}/dtheta_r, for all blocks.
  [[nodiscard]] std::vector<double> straight_through(bool soft) const {
    std::vector<double> result;
    for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
      const auto y = relaxed_draws(b);
      const auto g = mask_gradient(b);
      for (size_t r = 0; r < g.size(); ++r) {
        double sum = 0;
        for (size_t k = 0; k < y.size(); ++k)
          for (size_t s = 0; s < g.size(); ++s)
            sum += reach(y, b, k, s, soft) * g[s] * y[k][s] * ((r == s ? 1 : 0) - y[k][r]) / tau;
        result.push_back(sum);
      }
    }
    return result;
  }

  // dM_s / dy^_k,s: prod_{l != k} (1 - y_l,s) at most N, 1 exactly N.
  [[nodiscard]] double reach(const std::vector<std::vector<double>>& y, int64_t b, size_t k,
                             size_t s, bool soft) const {
    double product = 1;
    for (size_t l = 0; in.replace && l < y.size(); ++l)
      if (l != k)
        product *= 1 - (soft ? y[l][s] : drawn(b, static_cast<int32_t>(l)) == s ? 1.0 : 0.0);
    return product;
  }
};

// The credits of one block, scaled.
inline std::vector<double> scaled_credits(std::vector<double> credits, kernels::CreditScale scale,
                                          double layer_mean) {
  using kernels::CreditScale;
  const double m = static_cast<double>(credits.size());
  double mean = 0, variance = 0;
  for (const double c : credits) mean += c / m;
  for (const double c : credits) variance += (c - mean) * (c - mean) / m;
  for (double& c : credits) {
    if (scale == CreditScale::kBlockMean) c /= mean;
    if (scale == CreditScale::kLayerMean) c /= layer_mean;
    if (scale == CreditScale::kBlockZ) c = (c - mean) / std::sqrt(variance);
  }
  return credits;
}

// sum over blocks of KL(q || pi), q = softmax(C / tau_q), pi = softmax(theta + kappa log |w|).
inline double distillation_kl(const BlockSample<double>& sample, kernels::CreditScale scale,
                              double kappa, double layer_mean, double tau_q) {
  kernels::DrawInputs<double> in = sample.inputs(1, true);
  in.kappa = kappa;
  double kl = 0;
  for (int64_t b = 0; b < in.layout.n_blocks; ++b) {
    const auto credits = sum_members(in.layout, b, [&](size_t at) { return sample.credit[at]; });
    const auto q = softmax(scaled_credits(credits, scale, layer_mean), tau_q);
    const auto pi = softmax(block_values(in, b), 1);
    for (size_t s = 0; s < q.size(); ++s) kl += q[s] * std::log(q[s] / pi[s]);
  }
  return kl;
}

}  // namespace spikenm::test
