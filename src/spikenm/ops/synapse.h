// Convolution and linear layers over [T,B,...]. Their backward computes the ordinary gradients and,
// if wanted, the temporal credit of every weight: the weight gradient is made in T slices, one per
// time step, and summed with and without absolute values. This needs no second backward pass and no
// autograd graph per step.
#pragma once

#include "spikenm/graph/geometry.h"
#include "spikenm/ops/tensor_args.h"

#include <memory>

namespace spikenm::ops {

enum class CreditKind { kTemporal, kNet, kNone };  // sum_t |g^t|, |sum_t g^t|, or no credit

// Where a layer's backward writes the credit of its weights, and their gradient if that is wanted
// too. The method that needs them owns it. Both have the weight's shape, and every backward that
// makes the weight's gradient overwrites them.
struct CreditSink {
  CreditKind kind = CreditKind::kTemporal;
  bool wants_gradient = false;
  Tensor credit;
  Tensor gradient;  // sum_t g^t with its sign, of the weight that the layer used: no mask is in it
};

using graph::SynapseGeometry;

// x [T,B,Cin,H,W] with weight [Cout,Cin,kh,kw], or x [T,B,Cin] with weight [Cout,Cin,1,1].
// On the CPU the result has the same bits for any number of threads. On a GPU activations are of
// type `compute` (float, bfloat16 or half), channels-last; a spike is exact in all of them.
// bits: if x is spikes and `bits` holds them (kernels/spike_bits.h), the backward keeps the bits
// instead of x.
// steps: a constant x [1,B,...] can be repeated over `steps`, so that every step has its own
// credit. The result is [steps,B,...]; on a GPU it is a view that shows one step's memory in every
// step.
// unscale: if gradients arrive scaled (half on a GPU), this float in GPU memory multiplies the
// weight gradient and the credit when they become float.
Tensor synapse(const Tensor& x, const Tensor& weight, const SynapseGeometry& geometry,
               const std::shared_ptr<CreditSink>& credit = nullptr,
               at::ScalarType compute = at::kFloat, const Tensor& bits = {}, int64_t steps = 1,
               const Tensor& unscale = {});

}  // namespace spikenm::ops
