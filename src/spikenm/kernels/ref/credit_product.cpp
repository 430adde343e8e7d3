#include "spikenm/kernels/credit_product.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

#include <cmath>
#include <vector>

namespace spikenm::kernels {
namespace {

// One row of the weight: total and credit are [n_in].
void one_output(const CreditProduct& a, int64_t out, float* total, float* credit) {
  const auto n_in = static_cast<size_t>(a.n_in);
  const auto *grad = static_cast<const float*>(a.grad), *x = static_cast<const float*>(a.x);
  std::vector<double> sum(n_in), magnitude(n_in), slice(n_in);

  for (int64_t t = 0; t < a.steps; ++t) {
    slice.assign(n_in, 0);
    for (int64_t row = t * a.batch; row < (t + 1) * a.batch; ++row)
      for (size_t i = 0; i < n_in; ++i)
        slice[i] +=
            static_cast<double>(grad[row * a.n_out + out]) * x[static_cast<size_t>(row) * n_in + i];
    for (size_t i = 0; i < n_in; ++i) {
      sum[i] += slice[i];
      magnitude[i] += std::abs(slice[i]);
    }
  }

  const double factor = a.factor != nullptr ? *a.factor : 1.0;
  for (size_t i = 0; i < n_in; ++i) {
    total[i] = static_cast<float>(factor * sum[i]);
    credit[i] = static_cast<float>(factor * magnitude[i]);
  }
}

}  // namespace

// Eq. (7): dL/dW = sum_t g^t, g^t = delta_t o_t; the credit of Eq. (20) is C = sum_t |g^t|.
void credit_product_ref(const CreditProduct& a) {
  SPIKENM_ASSERT(a.real == Real::kFloat);
  parallel_for(a.n_out, 1, [&](int64_t begin, int64_t end) {
    for (int64_t out = begin; out < end; ++out)
      one_output(a, out, a.total + out * a.n_in, a.credit + out * a.n_in);
  });
}

}  // namespace spikenm::kernels
