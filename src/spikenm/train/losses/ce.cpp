#include <ATen/ATen.h>

namespace spikenm::train {

at::Tensor ce_loss(const at::Tensor& scores, const at::Tensor& labels) {
  return at::cross_entropy_loss(scores.mean(0), labels);
}

}  // namespace spikenm::train
