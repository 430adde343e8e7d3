// Batch norm and neuron over a whole sequence on a GPU; the normalised current never goes to
// memory. One pass for the statistics, one forward, two backward. The CPU's kernels are in
// norm_neuron_cpu.h, the unfused twins in batch_norm.h and neuron_seq.h. Neurons that learn their
// leak or have more than one state variable are not supported.
//
// Activations are [steps, n] of type Real, time outermost and channels innermost (channels-last):
// element i of a step belongs to channel i % channels. If the neuron's input x is constant over
// time, it is [1, n] and every step reads it; its gradient is still [steps, n], or [1, n] if the
// sum over the steps is enough (summed_gradient). Sums are float, in a fixed order.
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

  [[nodiscard]] SPIKENM_HD int64_t positions() const { return n / channels; }  // per step
  [[nodiscard]] SPIKENM_HD int64_t input_steps() const { return constant_input ? 1 : steps; }
};

// Longest sequence that the backward keeps in registers.
constexpr int64_t kMaxFusedSteps = 16;

// Floats of scratch memory that statistics, backward and the forward's activity need.
int64_t norm_workspace(const SequenceShape& shape);

// Mean and 1/sqrt(variance + eps) of every channel over all steps. The running statistics move
// towards them: running = (1 - momentum) running + momentum found, with the unbiased variance.
struct NormStatistics {
  SequenceShape shape;
  const void* x = nullptr;
  float eps = 1e-5f, momentum = 0.1f;
  float *mean = nullptr, *inverse_std = nullptr;               // [channels]
  float *running_mean = nullptr, *running_variance = nullptr;  // [channels]
  float* workspace = nullptr;
};

void norm_statistics_cuda(const NormStatistics& args, void* stream);

// The neuron's input is gamma (x - mean) inverse_std + beta. Without a norm all four are null and
// the input is x.
struct NormConstants {
  const float *gamma = nullptr, *beta = nullptr, *mean = nullptr, *inverse_std = nullptr;
};

// A pool of 2x2 windows that do not overlap, used when nothing else reads the spikes: the forward
// writes the pool's output instead of the spikes, and the backward reads the gradient of that
// output. For a max pool, `winners` has one bit per place of the map (spike_bits.h): whether the
// place's window took its value from it (the first of equals). Rows and columns that fill no window
// are left out.
struct SpikePool {
  bool used = false;
  PoolKind kind = PoolKind::kAverage;
  int32_t height = 0, width = 0;  // of the map
  uint8_t* winners = nullptr;     // null for an average, or if no backward follows

  static constexpr int64_t kSize = 2;
  [[nodiscard]] SPIKENM_HD int32_t out_height() const { return height / 2; }
  [[nodiscard]] SPIKENM_HD int32_t out_width() const { return width / 2; }
};
// Whether forward and backward support such a pool: not for every neuron, number of steps and
// number of channels.
bool can_pool_spikes(const NeuronParams& params, const SequenceShape& shape);

// Spikes can also be written as bits (spike_bits.h), if the channels are a multiple of 8.
struct NormNeuronForward {
  NeuronParams params;
  SequenceShape shape;
  NormConstants norm;
  SpikePool pool;
  const void* x = nullptr;
  void* spikes = nullptr;   // or the pool's output
  uint8_t* bits = nullptr;  // may be null; must be null with a pool
  // [channels], may be null: the mean of spike + |v| over all steps and positions is added to it,
  // where v is the membrane after the reset. A pool must then cover its map.
  float* activity = nullptr;
  float* workspace = nullptr;  // only with `activity`
};

void norm_neuron_forward_cuda(const NormNeuronForward& args, void* stream);

// Computes the membrane again from x. The neuron must not learn its leak.
struct NormNeuronBackward {
  NeuronParams params;
  SequenceShape shape;
  NormConstants norm;
  bool measured = true;  // mean and inverse_std are functions of x (training), not constants
  SpikePool pool;
  const void *x = nullptr, *grad_spikes = nullptr;  // or of the pool's output
  void* grad_x = nullptr;  // may be grad_spikes, if the gradient is neither summed nor pooled
  float *grad_gamma = nullptr, *grad_beta = nullptr;  // [channels]; only with a norm
  float* workspace = nullptr;
};

void norm_neuron_backward_cuda(const NormNeuronBackward& args, void* stream);

}  // namespace spikenm::kernels
