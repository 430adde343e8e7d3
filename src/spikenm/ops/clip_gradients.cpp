#include "spikenm/ops/clip_gradients.h"

#include "spikenm/core/parallel.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace spikenm::ops {
namespace {

constexpr int64_t kGrain = int64_t{1} << 14;

double norm_on_cpu(const std::vector<at::Tensor>& gradients) {
  double sum = 0;
  for (const at::Tensor& given : gradients) {
    const at::Tensor gradient = given.contiguous();
    const float* const g = gradient.const_data_ptr<float>();
    sum += parallel_sum(gradient.numel(), kGrain, [&](int64_t begin, int64_t end) {
      double part = 0;
      for (int64_t i = begin; i < end; ++i) part += static_cast<double>(g[i]) * g[i];
      return part;
    });
  }
  return std::sqrt(sum);
}

// The factor stays on the GPU, so that the host does not wait for it.
void clip_on_gpu(const std::vector<at::Tensor>& gradients, double limit) {
  std::vector<at::Tensor> squares;
  for (const at::Tensor& g : gradients) squares.push_back(g.square().sum(at::kDouble));
  const at::Tensor factor = (limit / at::stack(squares).sum().sqrt()).clamp_max(1).to(at::kFloat);
  for (at::Tensor g : gradients) g.mul_(factor);
}

}  // namespace

void clip_gradients(const std::vector<at::Tensor>& gradients, double limit) {
  const at::NoGradGuard no_grad;
  if (gradients.empty()) return;
  if (gradients[0].is_cuda()) return clip_on_gpu(gradients, limit);

  const double norm = norm_on_cpu(gradients);
  if (norm <= limit) return;
  for (at::Tensor g : gradients) g.mul_(limit / norm);
}

}  // namespace spikenm::ops
