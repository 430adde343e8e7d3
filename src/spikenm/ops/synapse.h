// Convolution and linear layers over [T,B,...], whose backward gives the ordinary gradients and,
// when asked, the temporal credit of every weight: the weight gradient is made in T slices, one a
// time step, and summed with and without absolute values. No second backward pass, no graph per
// step.
#pragma once

#include "spikenm/graph/geometry.h"
#include "spikenm/ops/tensor_args.h"

#include <memory>

namespace spikenm::ops {

enum class CreditKind { kTemporal, kNet };  // sum_t |g^t|, or |sum_t g^t|

// Where a layer's backward leaves its credit. The method that wants it owns it.
struct CreditSink {
  CreditKind kind = CreditKind::kTemporal;
  Tensor credit;  // in the weight's shape; overwritten by every backward
};

using graph::SynapseGeometry;

// x [T,B,Cin,H,W] with weight [Cout,Cin,kh,kw], or x [T,B,Cin] with weight [Cout,Cin,1,1].
// On the CPU the result is the same bits for any number of threads. On a GPU activations are of
// type `compute` (float, bfloat16 or half), channels-last; a spike is exact in all of them. Where x
// is spikes and their `bits` are known, the backward keeps those instead of x. A constant
// x [1,B,...] can be spread over `steps`, so that every step earns its own credit: the result is
// [steps,B,...], on a GPU one step's memory seen so often. Where errors come scaled (half on a
// GPU), `unscale`, a float in its memory, is the factor that weight gradient and credit are given
// as they become float.
Tensor synapse(const Tensor& x, const Tensor& weight, const SynapseGeometry& geometry,
               const std::shared_ptr<CreditSink>& credit = nullptr,
               at::ScalarType compute = at::kFloat, const Tensor& bits = {}, int64_t steps = 1,
               const Tensor& unscale = {});

}  // namespace spikenm::ops
