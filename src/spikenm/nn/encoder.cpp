#include "spikenm/nn/encoder.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>

namespace spikenm::nn {

at::Tensor encode(const at::Tensor& batch, int64_t T) {
  if (batch.dim() == 4) return batch.unsqueeze(0);
  SPIKENM_CHECK(batch.dim() == 5 && batch.size(0) == T,
                "encoder: found a {}-d batch with {} time steps, wanted [B,C,H,W] or [{},B,C,H,W]",
                batch.dim(), batch.size(0), T);
  return batch;
}

}  // namespace spikenm::nn
