// Which weights of one or many layers are the largest by some score.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace spikenm::sparsity {

// A value that exactly `n` scores of all tensors together exceed, if no two are equal. Less than all
// of them for n = their number.
double bound_above(const std::vector<at::Tensor>& scores, int64_t n);

// 1 at the `n` largest scores, 0 elsewhere; the first of equals comes first.
at::Tensor largest_n(const at::Tensor& scores, int64_t n);

// The same over all tensors together, as masks of 0 and 1 in their shapes.
std::vector<at::Tensor> largest_of_all(const std::vector<at::Tensor>& scores, int64_t n);

}  // namespace spikenm::sparsity
