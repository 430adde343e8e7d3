// The neuron over a whole sequence, as a differentiable op.
#pragma once

#include "spikenm/kernels/neuron_seq.h"
#include "spikenm/ops/tensor_args.h"

namespace spikenm::ops {

// x [T, ...] -> spikes [T, ...]. `leak_logit` is PLIF's learnt w (one element, k = sigmoid(w)) and
// undefined for the other neurons, whose k is in `params`. `activity` is as in NormNeuronCall.
Tensor neuron_seq(const Tensor& x, const kernels::NeuronParams& params,
                  const Tensor& leak_logit = {}, const Tensor& activity = {});

}  // namespace spikenm::ops
