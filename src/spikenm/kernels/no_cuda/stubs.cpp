// Linked when the build has no CUDA: every call fails with one clear sentence, and callers need no
// #ifdef.
#include "spikenm/core/error.h"
#include "spikenm/kernels/augment.h"
#include "spikenm/kernels/bad_steps.h"
#include "spikenm/kernels/conv_weight.h"
#include "spikenm/kernels/credit_product.h"
#include "spikenm/kernels/credit_sum.h"
#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/kernels/nm_sample.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/kernels/optimizer_step.h"
#include "spikenm/kernels/patches.h"
#include "spikenm/kernels/pool.h"
#include "spikenm/kernels/sop_count.h"
#include "spikenm/kernels/spike_bits.h"
#include "spikenm/kernels/transpose.h"

namespace spikenm::kernels {
namespace {

[[noreturn]] void no_cuda() {
  fail(
      "cuda: this build has no CUDA kernels; build with SPIKENM_CUDA=ON where nvcc is, or use the "
      "cpu");
}

}  // namespace

void augment_cuda(const Augment&, void*) {
  no_cuda();
}
void see_step_cuda(const SeenStep&, BadSteps*, void*) {
  no_cuda();
}
void patches_cuda(const Patches&, void*) {
  no_cuda();
}
void conv_weight_cuda(const ConvWeight&, void*) {
  no_cuda();
}
void neuron_forward_cuda(const NeuronForward<float>&, void*) {
  no_cuda();
}
void neuron_backward_cuda(const NeuronBackward<float>&, float*, void*) {
  no_cuda();
}
void nm_draw_cuda(const DrawInputs<float>&, uint8_t*, float*, void*) {
  no_cuda();
}
void nm_top_n_cuda(const DrawInputs<float>&, uint8_t*, void*) {
  no_cuda();
}
void nm_mask_cuda(const nm::BlockLayout&, int32_t, const uint8_t*, uint8_t*, void*) {
  no_cuda();
}
void nm_apply_cuda(const nm::BlockLayout&, int32_t, const uint8_t*, const float*, Real, void*,
                   void*) {
  no_cuda();
}
void set_step_values_cuda(const StepValues&, StepValues*, void*) {
  no_cuda();
}
int64_t nm_parts(int64_t) {
  no_cuda();
}
void nm_straight_through_cuda(const SearchBackward&, void*) {
  no_cuda();
}
void nm_distill_cuda(const Distillation<float>&, float*, float*, void*) {
  no_cuda();
}
bool can_pool_spikes(const NeuronParams&, const SequenceShape&) {
  no_cuda();
}
int64_t norm_workspace(const SequenceShape&) {
  no_cuda();
}
void norm_statistics_cuda(const NormStatistics&, void*) {
  no_cuda();
}
void norm_neuron_forward_cuda(const NormNeuronForward&, void*) {
  no_cuda();
}
void norm_neuron_backward_cuda(const NormNeuronBackward&, void*) {
  no_cuda();
}
void pool_forward_cuda(const PoolShape&, int64_t, Real, const void*, void*, uint8_t*, void*) {
  no_cuda();
}
void pool_backward_cuda(const PoolShape&, int64_t, Real, const void*, const uint8_t*, void*,
                        void*) {
  no_cuda();
}
void count_live_cuda(int64_t, int64_t, const float*, float*, void*) {
  no_cuda();
}
void sop_count_cuda(int64_t, int64_t, Real, const void*, const float*, double*, void*) {
  no_cuda();
}
void transpose_cuda(int64_t, int64_t, int64_t, Real, const void*, void*, void*) {
  no_cuda();
}
void unpack_spikes_cuda(int64_t, const uint8_t*, Real, void*, void*) {
  no_cuda();
}
void accumulate_credit_cuda(const CreditSlices&, void*) {
  no_cuda();
}
void credit_product_cuda(const CreditProduct&, void*) {
  no_cuda();
}
void set_guard_cuda(const GuardedStep&, StepGuard*, void*) {
  no_cuda();
}
void adam_steps_cuda(std::span<const AdamStep>, void*) {
  no_cuda();
}
void sgd_steps_cuda(std::span<const SgdStep>, void*) {
  no_cuda();
}

}  // namespace spikenm::kernels
