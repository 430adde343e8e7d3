// Histograms of tensors, counted where the tensors are.
#pragma once

#include "spikenm/core/histogram.h"

#include <ATen/core/Tensor.h>

namespace spikenm::train {

// Of the values of a tensor, as floats; with `keep`, of the same shape and device, only of those where it
// is not 0.
Histogram tensor_histogram(const at::Tensor& values, const at::Tensor& keep = {});

// The same by torch's operations, as it is done on a GPU: only sums and counts come to the host.
Histogram histogram_by_operations(const at::Tensor& values, const at::Tensor& keep = {});

}  // namespace spikenm::train
