// The AVX2 level of every CPU kernel. Only this file is compiled with AVX2 flags, and it holds only
// kernels: if a library template were instantiated here, the linker could keep this copy for the
// whole program.
#define SPIKENM_NO_LIBM
#include "spikenm/kernels/cpu/kernels_avx2.h"

#include "spikenm/kernels/cpu/norm_neuron.h"
#include "spikenm/kernels/cpu/winograd.h"
#include "spikenm/kernels/math/gumbel.h"
#include "spikenm/kernels/math/steps/all.h"
#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/kernels/nm_sample.h"

#include <immintrin.h>

namespace spikenm::kernels {
namespace {

#include "spikenm/kernels/cpu/vector_avx2.h"
//
#include "spikenm/kernels/cpu/exp_inl.h"
#include "spikenm/kernels/cpu/gumbel_inl.h"
#include "spikenm/kernels/cpu/neuron_seq_inl.h"
#include "spikenm/kernels/cpu/norm_neuron_inl.h"
#include "spikenm/kernels/cpu/winograd_inl.h"

}  // namespace

const CpuKernels kKernelsAvx2 = {
    .neuron_forward = neuron_forward,
    .neuron_backward = neuron_backward,
    .gumbel_fill = gumbel_fill,
    .norm_neuron = &kNormNeuron,
    .winograd = &kWinograd,
};

}  // namespace spikenm::kernels
