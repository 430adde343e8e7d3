#include "spikenm/sparsity/positions.h"

#include "spikenm/core/random.h"
#include "spikenm/ops/nm_sample.h"
#include "spikenm/sparsity/blocks.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

namespace spikenm::sparsity {

at::Tensor largest_positions(const MaskableLayer& layer, int k) {
  const at::NoGradGuard no_grad;
  const at::Tensor& weight = layer.synapse->weight;
  return ops::top_positions({.layout = layer.layout}, k, block_sums(layer.layout, weight.abs()),
                            weight);
}

at::Tensor random_positions(const MaskableLayer& layer, bool replace, uint64_t seed) {
  const at::NoGradGuard no_grad;
  const at::Tensor& weight = layer.synapse->weight;
  const ops::DrawAddress address{
      .seed = seed,
      .stream = random_stream(RandomUse::kRandomMask, static_cast<uint32_t>(layer.id))};
  return ops::draw_positions(
      {.layout = layer.layout, .n_draws = layer.pattern.n, .replace = replace}, address,
      /*noise=*/1, at::zeros({layer.layout.n_blocks, layer.layout.m}, weight.options()), weight);
}

}  // namespace spikenm::sparsity
