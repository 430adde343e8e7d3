#pragma once

#include "spikenm/nn/state.h"

#include <ATen/ATen.h>

namespace spikenm::sparsity {

// The mean of about the last fifty values, kept on their device: only value() waits for a GPU.
class RunningMean {
 public:
  explicit RunningMean(at::Device device)
      : sums_(at::zeros({2}, at::device(device).dtype(at::kDouble))),
        one_(at::ones({}, sums_.options())) {}

  // `value` is a 0-d double; one that is not finite is not added. Where `skip` [1] is not 0 nothing
  // is; undefined: it never is.
  void add(const at::Tensor& value, const at::Tensor& skip) {
    const at::Tensor next = kDecay * sums_ + at::stack({value, one_});
    at::Tensor adds = value.isfinite();
    if (skip.defined()) adds = adds.logical_and(skip.eq(0));
    sums_.copy_(at::where(adds, next, sums_));
  }
  [[nodiscard]] double value() const {
    const at::Tensor sums = sums_.cpu();
    const double weight = sums[1].item<double>();
    return weight > 0 ? sums[0].item<double>() / weight : 0;
  }

  void visit_state(nn::StateVisitor& visitor) { visitor.tensor("sums", sums_); }

 private:
  static constexpr double kDecay = 0.98;
  at::Tensor sums_, one_;  // of the values and of their weights
};

}  // namespace spikenm::sparsity
