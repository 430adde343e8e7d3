// The products of synapse on the CPU. Work is cut by size and each piece is done by one thread, so
// that results have the same bits for any number of threads. Activations [T,B,C,H,W] are
// channels-last in memory, [T,B,C] are contiguous.
#pragma once

#include "spikenm/ops/synapse.h"

namespace spikenm::ops {

Tensor synapse_forward_cpu(const Tensor& x, const Tensor& w, const SynapseGeometry& g);

Tensor synapse_grad_input_cpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                              const SynapseGeometry& g);

// Writes the credit to `sink`, unless it is null.
Tensor synapse_grad_weight_cpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                               const SynapseGeometry& g, CreditSink* sink);

}  // namespace spikenm::ops
