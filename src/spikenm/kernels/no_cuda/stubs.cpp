// Linked when the build has no CUDA: absent hardware is one clear sentence, not an #ifdef at every
// call.
#include "spikenm/core/error.h"
#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/kernels/nm_sample.h"

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

}  // namespace spikenm::kernels
