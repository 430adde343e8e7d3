#include "spikenm/kernels/credit_sum.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/math/value.h"

namespace spikenm::kernels {

// Eq. (7): dL/dW = sum_t g^t, g^t = delta_t o_t; the credit of Eq. (20) is C = sum_t |g^t|.
template <class T>
void accumulate_credit(int64_t n, const T* g, T* grad, T* credit) {
  parallel_for(n, int64_t{1} << 15, [&](int64_t begin, int64_t end) {
    if (credit == nullptr) {
      for (int64_t i = begin; i < end; ++i) grad[i] += g[i];
    } else {
      for (int64_t i = begin; i < end; ++i) {
        grad[i] += g[i];
        credit[i] += absolute(g[i]);
      }
    }
  });
}

template void accumulate_credit(int64_t, const float*, float*, float*);
template void accumulate_credit(int64_t, const double*, double*, double*);

}  // namespace spikenm::kernels
