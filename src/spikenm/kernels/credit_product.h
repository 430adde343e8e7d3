// The weight gradient of a linear layer and its credit, from one product. The slices g^t of the
// gradient are never written to memory: for 33 million weights and 8 steps they would take a
// gigabyte.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

// g^t = grad_t^T x_t, a sum over the batch; total = sum_t g^t, credit = sum_t |g^t|.
struct CreditProduct {
  Real real = Real::kFloat;  // type of grad and x
  int64_t steps = 0, batch = 0, n_out = 0, n_in = 0;
  const void* grad = nullptr;     // [steps, batch, n_out]
  const void* x = nullptr;        // [steps, batch, n_in]
  float* total = nullptr;         // [n_out, n_in]
  float* credit = nullptr;        // [n_out, n_in]
  const float* factor = nullptr;  // on the same device; multiplies both sums; null: 1
};

// Reads float; sums are double.
void credit_product_ref(const CreditProduct& args);

// Reads 16-bit types; sums are float, in a fixed order.
void credit_product_cuda(const CreditProduct& args, void* stream);

}  // namespace spikenm::kernels
