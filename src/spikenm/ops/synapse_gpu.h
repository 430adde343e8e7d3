// The GPU's side of synapse.h. One call takes all time steps; activations are in the compute type
// and channels-last, and the weight is in the compute type too.
#pragma once

#include "spikenm/ops/synapse.h"

#include <vector>

namespace spikenm::ops {

struct GpuSynapse {
  SynapseGeometry geometry;
  at::ScalarType compute = at::kFloat;
  std::vector<int64_t> x_sizes;  // [T,B,Cin,H,W] or [T,B,Cin]
  int64_t steps = 1;             // number of steps of the result
  Tensor unscale;                // multiplies weight gradient and credit; undefined: 1

  [[nodiscard]] const float* factor() const {
    return unscale.defined() ? unscale.const_data_ptr<float>() : nullptr;
  }
};

// The weight in the compute type.
struct ComputeWeight {
  Tensor forward;
  Tensor backward;  // taps reversed (kernels/conv_weight.h); undefined if it cannot be used
};
ComputeWeight compute_weight(const Tensor& weight, const GpuSynapse& call, bool with_backward);

// `taken` is the part of x that the weight's gradient needs: patches, or x in the compute type.
// `bits_serve`: the bits of x can be kept instead.
struct SynapseOutput {
  Tensor y, taken;
  bool bits_serve = false;
};
SynapseOutput synapse_forward_gpu(const Tensor& x, const Tensor& w, const GpuSynapse& call);

// `taken` may also be the bits of x. The gradient is float, in the weight's memory order.
Tensor synapse_grad_weight_gpu(const Tensor& grad, const Tensor& taken, const Tensor& w,
                               const GpuSynapse& call, CreditSink* sink);

Tensor synapse_grad_input_gpu(const Tensor& grad, const ComputeWeight& weight,
                              const GpuSynapse& call);

}  // namespace spikenm::ops
