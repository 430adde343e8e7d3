// How many samples a batch of scores gets right.
#pragma once

#include <ATen/core/Tensor.h>

namespace spikenm::metrics {

// scores [T,B,K], labels [B]: the class with the largest mean score over time wins.
int64_t count_correct(const at::Tensor& scores, const at::Tensor& labels);

}  // namespace spikenm::metrics
