#include "spikenm/ops/norm_neuron.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/kernels/spike_bits.h"
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

Place place_of(const Tensor& weight, at::ScalarType compute, int64_t steps) {
  return {.device = weight.device(),
          .type = weight.is_cpu() ? weight.scalar_type() : compute,
          .steps = steps};
}

bool has_fused_form(const graph::NeuronParams& params) {
  const graph::NeuronTraits& traits = graph::traits_of(params.neuron);
  return !traits.learns_leak && traits.states == 1;
}

Fusing fusing(const graph::NeuronParams& params, const Place& place, const graph::Shape& map,
              const graph::PoolGeometry* pool) {
  if (!has_fused_form(params)) return {};
  if (place.device.is_cpu()) return {.norm_neuron = place.type == at::kFloat};
  if (!place.device.is_cuda() || place.steps > kernels::kMaxFusedSteps) return {};
  return {.norm_neuron = true,
          .pool = pool != nullptr && fits_gpu_pool(params, place, map, *pool),
          .bits = map.channels % kernels::kSpikesPerByte == 0};
}

Spikes norm_neuron(const Tensor& x, const NormNeuronCall& call, const graph::PoolGeometry* pool) {
  if (x.is_cuda()) return norm_neuron_gpu(x, call, pool);
  SPIKENM_ASSERT(pool == nullptr);
  return {.values = norm_neuron_cpu(x, call), .bits = {}};
}

}  // namespace spikenm::ops
