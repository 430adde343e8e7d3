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

void visit_positions(nn::StateVisitor& visitor, const MaskableLayer& layer, at::Tensor& draws) {
  int64_t n = draws.size(1);
  visitor.value("n_draws", n);
  if (!visitor.loads()) return visitor.tensor("draws", draws);

  if (n < layer.pattern.n || n > layer.pattern.m)
    visitor.refuse("n_draws",
                   fmt::format("found {}, wanted {} to {}", n, layer.pattern.n, layer.pattern.m));
  draws = at::empty({layer.layout.n_blocks, n}, draws.options());
  visitor.tensor("draws", draws);
  if (draws.ge(layer.layout.m).any().item<bool>())
    visitor.refuse("draws", fmt::format("found a position outside a block of {}", layer.layout.m));
}

}  // namespace spikenm::sparsity
