#include "spikenm/sparsity/mask_logits.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

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

double logit_entropy(const std::vector<at::Tensor>& layers) {
  const at::NoGradGuard no_grad;
  double sum = 0;
  int64_t n_blocks = 0;
  for (const at::Tensor& logits : layers) {
    n_blocks += logits.size(0);
    if (logits.numel() == 0 || logits.size(1) < 2) continue;
    const at::Tensor log_p = logits.log_softmax(1);
    const double entropy = -(log_p.exp() * log_p).sum(at::kDouble).item<double>();
    sum += entropy / std::log(static_cast<double>(logits.size(1)));
  }
  return n_blocks == 0 ? 0 : sum / static_cast<double>(n_blocks);
}

}  // namespace spikenm::sparsity
