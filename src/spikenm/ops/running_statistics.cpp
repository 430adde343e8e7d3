#include "spikenm/ops/running_statistics.h"

#include <ATen/ATen.h>

namespace spikenm::ops {

void take_finite(const Statistics& running, const Statistics& moved) {
  const at::Tensor is_good = moved.mean.isfinite().logical_and_(moved.variance.isfinite());
  running.mean.copy_(at::where(is_good, moved.mean, running.mean));
  running.variance.copy_(at::where(is_good, moved.variance, running.variance));
}

void move_running(const Statistics& running, const Statistics& measured, int64_t per_channel,
                  double momentum) {
  const auto n = static_cast<double>(per_channel);
  take_finite(
      running,
      {.mean = running.mean.mul(1 - momentum).add_(measured.mean, momentum),
       .variance =
           running.variance.mul(1 - momentum).add_(measured.variance, momentum * n / (n - 1))});
}

}  // namespace spikenm::ops
