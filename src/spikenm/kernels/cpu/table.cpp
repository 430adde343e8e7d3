#include "spikenm/kernels/cpu/table.h"

#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/kernels/nm_sample.h"

#if defined(SPIKENM_X86)
#include "spikenm/kernels/cpu/kernels_avx2.h"
#include "spikenm/kernels/cpu/kernels_avx512.h"
#endif

namespace spikenm::kernels {
namespace {

constexpr CpuKernels kKernelsRef = {
    .neuron_forward = neuron_forward_ref<float>,
    .neuron_backward = neuron_backward_ref<float>,
    .gumbel_fill = gumbel_fill_ref,
    .norm_neuron = nullptr,
    .winograd = nullptr,
};

}  // namespace

const CpuKernels& cpu_kernels(Isa isa) {
#if defined(SPIKENM_X86)
  if (isa == Isa::kAvx512) return kKernelsAvx512;
  if (isa == Isa::kAvx2) return kKernelsAvx2;
#endif
  static_cast<void>(isa);
  return kKernelsRef;
}

}  // namespace spikenm::kernels
