// The GPU's side of synapse.h, where one call takes all time steps: activations in the compute
// type, channels-last, and the weight in it too.
#pragma once

#include "spikenm/ops/synapse.h"

#include <vector>

namespace spikenm::ops {

struct GpuSynapse {
  SynapseGeometry geometry;
  at::ScalarType compute = at::kFloat;
  std::vector<int64_t> x_sizes;  // [T,B,Cin,H,W] or [T,B,Cin]
  int64_t steps = 1;             // as many steps as the result has
  Tensor unscale;                // factor of weight gradient and credit; undefined: 1

  [[nodiscard]] const float* factor() const {
    return unscale.defined() ? unscale.const_data_ptr<float>() : nullptr;
  }
};

// The weight in the compute type.
struct ComputeWeight {
  Tensor forward;
  Tensor backward;  // turned round (kernels/conv_weight.h), where that serves the input's gradient
};
ComputeWeight compute_weight(const Tensor& weight, const GpuSynapse& call, bool with_backward);

// `taken` is what the weight's gradient needs of x: patches, or x in the compute type, which bits
// can stand for.
struct SynapseOutput {
  Tensor y, taken;
  bool bits_serve = false;
};
SynapseOutput synapse_forward_gpu(const Tensor& x, const Tensor& w, const GpuSynapse& call);

// From `taken`, or the bits of x; the gradient leaves as float, in the weight's memory order.
Tensor synapse_grad_weight_gpu(const Tensor& grad, const Tensor& taken, const Tensor& w,
                               const GpuSynapse& call, CreditSink* sink);

Tensor synapse_grad_input_gpu(const Tensor& grad, const ComputeWeight& weight,
                              const GpuSynapse& call);

}  // namespace spikenm::ops
