// Batch norm and neuron over a whole sequence on a GPU, without the normalised current ever going
// to memory: one pass for the statistics, one forward, two backward. The CPU's kernels are in
// norm_neuron_cpu.h, the unfused twins in batch_norm.h and neuron_seq.h. Neurons that learn their
// leak or have more than one state variable are not served.
//
// Activations are [steps, n] of type Real, time outermost and channels innermost (channels-last):
// element i of a step belongs to channel i % channels. The neuron's input x may be constant over
// time: then it is [1, n] and every step reads it; its gradient is [steps, n] all the same, or
// [1, n] where the sum over the steps will do. Sums are float, and in a fixed order.
#pragma once

#include "spikenm/kernels/math/neuron_step.h"
#include "spikenm/kernels/pool.h"
#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

struct SequenceShape {
  Real real = Real::kFloat;
  int64_t steps = 0, n = 0, channels = 1;
  bool constant_input = false, summed_gradient = false;

  [[nodiscard]] SPIKENM_HD int64_t positions() const { return n / channels; }  // of a step
  [[nodiscard]] SPIKENM_HD int64_t input_steps() const { return constant_input ? 1 : steps; }
};

// Longest sequence the backward keeps in registers.
constexpr int64_t kMaxFusedSteps = 16;

// Floats of scratch memory that statistics and backward want.
int64_t norm_workspace(const SequenceShape& shape);

// Mean and 1/sqrt(variance + eps) of every channel over all steps; the running ones move toward
// them: running = (1 - momentum) running + momentum found, the variance unbiased.
struct NormStatistics {
  SequenceShape shape;
  const void* x = nullptr;
  float eps = 1e-5f, momentum = 0.1f;
  float *mean = nullptr, *inverse_std = nullptr;               // [channels]
  float *running_mean = nullptr, *running_variance = nullptr;  // [channels]
  float* workspace = nullptr;
};

void norm_statistics_cuda(const NormStatistics& args, void* stream);

// gamma (x - mean) inverse_std + beta is the neuron's input; without a norm all four are null and
// it is x.
struct NormConstants {
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *inverse_std = nullptr;
};

// A pool of 2x2 windows that do not overlap, where it alone reads the spikes: the forward writes
// what it makes of them, and the backward takes the gradient of that. Of a max pool `winners` says,
// a bit a place of the map (spike_bits.h), whether its window took that place (the first of
// equals). Rows and columns that fill no window are left out.
struct SpikePool {
  bool used = false;
  PoolKind kind = PoolKind::kAverage;
  int32_t height = 0, width = 0;  // of the map
  uint8_t* winners = nullptr;     // null for an average, or where no backward follows

  static constexpr int64_t kSize = 2;
  [[nodiscard]] SPIKENM_HD int32_t out_height() const { return height / 2; }
  [[nodiscard]] SPIKENM_HD int32_t out_width() const { return width / 2; }
};
// Whether forward and backward serve such a pool; those of unusual neurons and lengths do not.
bool can_pool_spikes(const NeuronParams& params, const SequenceShape& shape);

// Spikes can also be left as bits (spike_bits.h), where the channels are a multiple of 8.
struct NormNeuronForward {
  NeuronParams params;
  SequenceShape shape;
  NormConstants norm;
  SpikePool pool;
  const void* x = nullptr;
  void* spikes = nullptr;   // or the pool's output
  uint8_t* bits = nullptr;  // or null; not with a pool
};

void norm_neuron_forward_cuda(const NormNeuronForward& args, void* stream);

// Replays the membrane from x. No leak may be learnt.
struct NormNeuronBackward {
  NeuronParams params;
  SequenceShape shape;
  NormConstants norm;
  bool measured = true;  // mean and inverse_std are functions of x (training), not constants
  SpikePool pool;
  const void *x = nullptr, *grad_spikes = nullptr;  // or of the pool's output
  void* grad_x = nullptr;  // may be grad_spikes, where the gradient is neither summed nor pooled
  float *grad_gamma = nullptr, *grad_beta = nullptr;  // [channels], with a norm
  float* workspace = nullptr;
};

void norm_neuron_backward_cuda(const NormNeuronBackward& args, void* stream);

}  // namespace spikenm::kernels
