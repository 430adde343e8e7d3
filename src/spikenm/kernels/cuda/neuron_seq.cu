// One thread per neuron: its states stay in registers over all steps, and neighbouring threads read
// neighbouring neurons.
#include "spikenm/kernels/cuda/launch.cuh"
#include "spikenm/kernels/math/steps/all.h"
#include "spikenm/kernels/neuron_seq.h"

namespace spikenm::kernels {
namespace {

template <class Step>
__global__ void forward(NeuronForward<float> a) {
  const int64_t i = thread_index();
  if (i >= a.n) return;
  const auto c = neuron_constants<float, float>(a.params);
  float v = c.charge.rest, current = 0;
  for (int64_t t = 0; t < a.steps; ++t) {
    float h, spike;
    const float x = charging_input<Step>(c, a.x[t * a.n + i], current);
    neuron_forward_step<Step>(c, a.params.soft_reset, x, v, h, spike);
    a.spikes[t * a.n + i] = spike;
    if (a.h != nullptr) a.h[t * a.n + i] = h;
    if (a.v != nullptr) a.v[t * a.n + i] = v;
  }
}

template <class Step>
__global__ void backward(NeuronBackward<float> a, float* grad_k_parts) {
  const int64_t i = thread_index();
  if (i >= a.n) return;
  const auto c = neuron_constants<float, float>(a.params);
  float error = 0, grad_current = 0, sum = 0;

  for (int64_t t = a.steps - 1; t >= 0; --t) {
    const int64_t at = t * a.n + i;
    const float v_before =
        t == 0 ? c.charge.rest : membrane_after(c, a.params.soft_reset, a.h[at - a.n]);
    const float x = Step::kLearnsLeak ? a.x[at] : 0.0f;
    float grad_x, grad_k;
    neuron_backward_step<Step>(c, a.params, a.grad_spikes[at], a.h[at], x, v_before, error, grad_x,
                               grad_k);
    a.grad_x[at] = input_gradient<Step>(c, grad_x, grad_current);
    sum += grad_k;
  }

  if (Step::kLearnsLeak && grad_k_parts != nullptr) grad_k_parts[i] = sum;
}

}  // namespace

void neuron_forward_cuda(const NeuronForward<float>& args, void* stream) {
  if (args.n == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...)                                \
  case Neuron::name:                                                   \
    forward<step><<<grid_for(args.n), kThreadsPerBlock, 0, s>>>(args); \
    break;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
  check_launch("neuron_forward");
}

void neuron_backward_cuda(const NeuronBackward<float>& args, float* grad_k, void* stream) {
  if (args.n == 0) return;
  const auto s = static_cast<cudaStream_t>(stream);
  switch (args.params.neuron) {
#define SPIKENM_NEURON(name, step, ...)                                         \
  case Neuron::name:                                                            \
    backward<step><<<grid_for(args.n), kThreadsPerBlock, 0, s>>>(args, grad_k); \
    break;
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  }
  check_launch("neuron_backward");
}

}  // namespace spikenm::kernels
