// Linked when the build has no CUDA: absent hardware is one clear sentence, not an #ifdef at every
// call.
#include "spikenm/core/error.h"
#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/kernels/nm_sample.h"
#include "spikenm/kernels/norm_neuron.h"
#include "spikenm/kernels/optimizer_step.h"

namespace spikenm::kernels {
namespace {

[[noreturn]] void no_cuda() {
  fail(
      "cuda: this build has no CUDA kernels; build with SPIKENM_CUDA=ON where nvcc is, or use the "
      "cpu");
}

}  // namespace

void neuron_forward_cuda(const NeuronForward<float>&, void*) {
  no_cuda();
}
void neuron_backward_cuda(const NeuronBackward<float>&, float*, void*) {
  no_cuda();
}
void nm_draw_cuda(const DrawInputs<float>&, uint8_t*, void*) {
  no_cuda();
}
void nm_top_n_cuda(const DrawInputs<float>&, uint8_t*, void*) {
  no_cuda();
}
void nm_mask_cuda(const nm::BlockLayout&, int32_t, const uint8_t*, uint8_t*, void*) {
  no_cuda();
}
void nm_straight_through_cuda(const StraightThrough<float>&, void*) {
  no_cuda();
}
void nm_distill_cuda(const Distillation<float>&, float*, void*) {
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
void adam_step_cuda(const AdamStep&, void*) {
  no_cuda();
}
void sgd_step_cuda(const SgdStep&, void*) {
  no_cuda();
}

}  // namespace spikenm::kernels
