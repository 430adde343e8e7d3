#include "spikenm/metrics/accuracy.h"

#include <ATen/ATen.h>

namespace spikenm::metrics {

int64_t count_correct(const at::Tensor& scores, const at::Tensor& labels) {
  return scores.mean(0).argmax(1).eq(labels).sum().item<int64_t>();
}

}  // namespace spikenm::metrics
