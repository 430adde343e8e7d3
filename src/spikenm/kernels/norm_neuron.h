// Batch norm and neuron over a whole sequence on a GPU, without the normalised current ever going
// to memory: one pass for the statistics, one forward, two backward. The unfused twins are
// batch_norm.h and neuron_seq.h.
//
// Activations are [steps, n] of type Real, time outermost and channels innermost (channels-last):
// element i of a step belongs to channel i % channels. Sums are float, and in a fixed order.
#pragma once

#include "spikenm/kernels/math/neuron_step.h"

#include <cstdint>

namespace spikenm::kernels {

enum class Real : int32_t { kFloat, kBfloat16, kHalf };

struct SequenceShape {
  Real real = Real::kFloat;
  int64_t steps = 0, n = 0, channels = 1;
};

// Longest sequence the backward keeps in registers.
constexpr int64_t kMaxFusedSteps = 16;

// Floats of scratch memory that statistics and backward want.
int64_t norm_workspace(const SequenceShape& shape);

// Mean, variance and 1/sqrt(variance + eps) of every channel, over all steps.
struct NormStatistics {
  SequenceShape shape;
  const void* x = nullptr;
  float eps = 1e-5f;
  float *mean = nullptr, *variance = nullptr, *inverse_std = nullptr;  // [channels]
  float* workspace = nullptr;
};

void norm_statistics_cuda(const NormStatistics& args, void* stream);

// gamma (x - mean) inverse_std + beta is the neuron's input; without a norm all four are null and
// it is x.
struct NormConstants {
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *inverse_std = nullptr;
};

struct NormNeuronForward {
  NeuronParams params;
  SequenceShape shape;
  NormConstants norm;
  const void* x = nullptr;
  void* spikes = nullptr;
};

void norm_neuron_forward_cuda(const NormNeuronForward& args, void* stream);

// Replays the membrane from x. No leak may be learnt.
struct NormNeuronBackward {
  NeuronParams params;
  SequenceShape shape;
  NormConstants norm;
  const void *x = nullptr, *grad_spikes = nullptr;
  void* grad_x = nullptr;                             // may be grad_spikes
  float *grad_gamma = nullptr, *grad_beta = nullptr;  // [channels], with a norm
  float* workspace = nullptr;
};

void norm_neuron_backward_cuda(const NormNeuronBackward& args, void* stream);

}  // namespace spikenm::kernels
