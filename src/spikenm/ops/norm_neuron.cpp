#include "spikenm/ops/norm_neuron.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/ops/norm_neuron_cpu.h"
#include "spikenm/ops/norm_neuron_gpu.h"

#include <algorithm>

namespace spikenm::ops {
namespace {

bool fits_gpu_pool(const graph::NeuronParams& params, const Place& place, const graph::Shape& map,
                   const graph::PoolGeometry& pool) {
  constexpr int64_t kSize = kernels::SpikePool::kSize;
  return map.is_map && pool.size == kSize && pool.stride == kSize && pool.padding == 0 &&
         std::min(map.height, map.width) >= kSize &&
         kernels::can_pool_spikes(params, {.steps = place.steps, .channels = map.channels});
}

}  // namespace

Fusing fusing(const graph::NeuronParams& params, const Place& place, const graph::Shape& map,
              const graph::PoolGeometry* pool) {
  const graph::NeuronTraits& traits = graph::traits_of(params.neuron);
  if (traits.learns_leak || traits.states > 1) return {};
  if (place.device.is_cpu()) return {.norm_neuron = place.type == at::kFloat};
  if (!place.device.is_cuda() || place.steps > kernels::kMaxFusedSteps) return {};
  return {.norm_neuron = true, .pool = pool != nullptr && fits_gpu_pool(params, place, map, *pool)};
}

Spikes norm_neuron(const Tensor& x, const NormNeuronCall& call, const graph::PoolGeometry* pool) {
  SPIKENM_ASSERT(graph::traits_of(call.params.neuron).states == 1);
  if (x.is_cuda()) return norm_neuron_gpu(x, call, pool);
  SPIKENM_ASSERT(pool == nullptr);
  return {.values = norm_neuron_cpu(x, call), .bits = {}};
}

}  // namespace spikenm::ops
