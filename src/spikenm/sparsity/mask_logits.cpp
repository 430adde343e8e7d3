#include "spikenm/sparsity/mask_logits.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"

#include <ATen/ATen.h>

namespace spikenm::sparsity {

at::Tensor make_logits(const MaskableLayer& layer, int64_t per_block, double std, uint64_t seed) {
  const RandomAddress random(seed,
                             random_stream(RandomUse::kLogitInit, static_cast<uint32_t>(layer.id)));
  at::Tensor logits = at::empty({layer.layout.n_blocks, per_block}, at::kFloat);
  float* const out = logits.mutable_data_ptr<float>();
  parallel_for(logits.numel(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(std * random.normal(static_cast<uint64_t>(i)));
  });
  return logits.to(layer.synapse->weight.device()).set_requires_grad(true);
}

}  // namespace spikenm::sparsity
