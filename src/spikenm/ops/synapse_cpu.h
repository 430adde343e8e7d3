// The products of synapse on the CPU. Work is cut by size and every piece is done by one thread, so
// that results are the same bits for any number of threads. Activations [T,B,C,H,W] lie
// channels-last, [T,B,C] as they are.
#pragma once

#include "spikenm/ops/synapse.h"

namespace spikenm::ops {

Tensor synapse_forward_cpu(const Tensor& x, const Tensor& w, const SynapseGeometry& g);

Tensor synapse_grad_input_cpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                              const SynapseGeometry& g);

// Leaves the credit in `sink` where it is wanted; may be null.
Tensor synapse_grad_weight_cpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                               const SynapseGeometry& g, CreditSink* sink);

}  // namespace spikenm::ops
