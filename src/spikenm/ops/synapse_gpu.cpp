#include "spikenm/ops/synapse_gpu.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/conv_weight.h"
#include "spikenm/kernels/credit_product.h"
#include "spikenm/kernels/credit_sum.h"
#include "spikenm/kernels/spike_bits.h"
#include "spikenm/ops/patches.h"
#include "spikenm/ops/stream.h"
#include "spikenm/ops/synapse_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::ops {
namespace {

bool is_linear(const Tensor& x) {
  return x.dim() == 3;
}

Tensor unscaled(const Tensor& gradient, const GpuSynapse& call) {
  return call.unscale.defined() ? gradient * call.unscale : gradient;
}

// Turns the weight's gradient from the compute type and, for a convolution, channels-last into
// float, contiguous. `slices` are the gradients of the steps, or one gradient of all steps.
Tensor finish_grad_weight(std::vector<Tensor> slices, const Tensor& w, const GpuSynapse& call,
                          Tensor* credit) {
  const bool last = !w.is_contiguous();
  std::vector<const void*> pointers;
  for (Tensor& slice : slices) {
    slice = slice.contiguous(last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
    pointers.push_back(slice.const_data_ptr());
  }

  Tensor total = at::empty(w.sizes(), w.options().dtype(at::kFloat), at::MemoryFormat::Contiguous);
  if (credit != nullptr) *credit = at::empty_like(total);
  kernels::accumulate_credit_cuda({.real = real_of(w),
                                   .slices = pointers,
                                   .n = w.numel(),
                                   .channels = last ? w.size(1) : 1,
                                   .taps = last ? w.size(2) * w.size(3) : 1,
                                   .total = data<float>(total),
                                   .credit = credit != nullptr ? data<float>(*credit) : nullptr,
                                   .factor = call.factor()},
                                  current_stream());
  return total;
}

// sum_t g^t, and sum_t |g^t| in `credit`: one product per step, then one pass over the slices.
Tensor grad_weight_slices(const Tensor& grad, const Tensor& x, const Tensor& w,
                          const GpuSynapse& call, Tensor& credit) {
  std::vector<Tensor> slices(static_cast<size_t>(grad.size(0)));
  run_side_by_side(grad.device(), grad.size(0), [&](int64_t t) {
    slices[static_cast<size_t>(t)] =
        grad_weight_rows(grad[t], x[x.size(0) == 1 ? 0 : t], w, call.geometry);
  });
  return finish_grad_weight(slices, w, call, &credit);
}

// The same for a linear layer in 16 bits: one product for all steps.
Tensor grad_weight_fused(const Tensor& grad, const Tensor& x, const Tensor& w,
                         const GpuSynapse& call, Tensor& credit) {
  Tensor total = at::empty(w.sizes(), w.options().dtype(at::kFloat));
  credit = at::empty_like(total);
  kernels::credit_product_cuda({.real = real_of(x),
                                .steps = x.size(0),
                                .batch = x.size(1),
                                .n_out = w.size(0),
                                .n_in = w.size(1),
                                .grad = grad.const_data_ptr(),
                                .x = x.const_data_ptr(),
                                .total = data<float>(total),
                                .credit = data<float>(credit),
                                .factor = call.factor()},
                               current_stream());
  return total;
}

// Eq. (7): x, w and grad are in the compute type.
Tensor grad_weight_of(const Tensor& grad, const Tensor& x, const Tensor& w, const GpuSynapse& call,
                      CreditSink* sink) {
  const bool wanted = sink != nullptr && sink->kind != CreditKind::kNone;
  if (wanted && sink->kind == CreditKind::kTemporal) {
    if (is_linear(x) && x.scalar_type() != at::kFloat && x.size(0) == grad.size(0))
      return grad_weight_fused(grad, x, w, call, sink->credit);
    return grad_weight_slices(grad, x, w, call, sink->credit);
  }

  // For a linear layer the product itself can return float.
  Tensor total = is_linear(x) && x.scalar_type() != at::kFloat
                     ? unscaled(at::mm(fold(grad).t(), fold(x), at::kFloat), call).view(w.sizes())
                     : finish_grad_weight({grad_weight_rows(fold(grad), fold(x), w, call.geometry)},
                                          w, call, nullptr);
  if (wanted) sink->credit = total.abs();
  return total;
}

Tensor unpacked(const Tensor& bits, at::IntArrayRef sizes, at::ScalarType type) {
  Tensor x = empty_channels_last(sizes, bits.options().dtype(type));
  kernels::unpack_spikes_cuda(x.numel(), data<uint8_t>(bits), real_of(x), x.mutable_data_ptr(),
                              current_stream());
  return x;
}

// Whether a convolution is done as a product over patches (patches.h).
bool has_few_channels(const GpuSynapse& call) {
  return call.x_sizes.size() == 5 && call.x_sizes[2] < 8 && call.compute != at::kFloat;
}

// y [T,B,Cout,OH,OW], channels-last, from patches [T*B*OH*OW, K].
Tensor forward_patches(const Tensor& rows, const Tensor& w, const GpuSynapse& call) {
  const std::vector<int64_t>& x = call.x_sizes;
  const SynapseGeometry& g = call.geometry;
  return at::mm(rows, patch_weight(w).t())
      .view({x[0], x[1], g.out(x[3], w.size(2)), -1, w.size(0)})
      .permute({0, 1, 4, 2, 3});
}

// One product per sample; the products of a step's samples add up to its slice.
Tensor grad_weight_patches(const Tensor& grad, const Tensor& rows, const Tensor& w,
                           const GpuSynapse& call, CreditSink* sink) {
  const int64_t T = grad.size(0), B = grad.size(1), places = grad.size(3) * grad.size(4);
  const Tensor errors = grad.flatten(0, 1).flatten(2);  // [T*B, Cout, places]
  Tensor seen = rows.view({-1, B, places, rows.size(1)});
  if (seen.size(0) < T) seen = seen.expand({T, -1, -1, -1});

  const Tensor slices = unscaled(
      at::bmm(errors, seen.flatten(0, 1), at::kFloat).view({T, B, w.size(0), rows.size(1)}).sum(1),
      call);

  Tensor total = from_patch_weight(slices.sum(0), w.sizes());
  if (sink != nullptr && sink->kind != CreditKind::kNone)
    sink->credit = sink->kind == CreditKind::kNet
                       ? total.abs()
                       : from_patch_weight(slices.abs().sum(0), w.sizes());
  return total;
}

}  // namespace

ComputeWeight compute_weight(const Tensor& weight, const GpuSynapse& call, bool with_backward) {
  SPIKENM_ASSERT(weight.scalar_type() == at::kFloat || weight.scalar_type() == call.compute);
  const at::TensorOptions options = weight.options().dtype(call.compute).requires_grad(false);
  if (call.x_sizes.size() == 3) return {.forward = weight.to(options), .backward = {}};

  const int64_t out = weight.size(0), in = weight.size(1), kh = weight.size(2), kw = weight.size(3);
  const SynapseGeometry& g = call.geometry;
  const bool turns = with_backward && g.stride == 1 && g.padding < std::min(kh, kw);
  constexpr auto kLast = at::MemoryFormat::ChannelsLast;

  ComputeWeight made{.forward = at::empty(weight.sizes(), options, kLast),
                     .backward = turns ? at::empty({in, out, kh, kw}, options, kLast) : Tensor()};

  const Tensor from = weight.contiguous();
  kernels::conv_weight_cuda({.real = real_of(made.forward),
                             .out = out,
                             .in = in,
                             .taps = kh * kw,
                             .from_float = from.scalar_type() == at::kFloat,
                             .weight = from.const_data_ptr(),
                             .forward = made.forward.mutable_data_ptr(),
                             .backward = turns ? made.backward.mutable_data_ptr() : nullptr},
                            current_stream());
  return made;
}

SynapseOutput synapse_forward_gpu(const Tensor& x, const Tensor& w, const GpuSynapse& call) {
  const bool few = has_few_channels(call);
  const Tensor taken = few ? patches(fold(x), w, call.geometry) : channels_last(x.to(call.compute));
  const Tensor y = few ? forward_patches(taken, w, call)
                       : unfold(forward_rows(fold(taken), w, call.geometry), taken);
  if (y.size(0) == call.steps) return {.y = y, .taken = taken, .bits_serve = !few};

  std::vector<int64_t> sizes = y.sizes().vec();
  sizes[0] = call.steps;
  return {.y = y.expand(sizes), .taken = taken, .bits_serve = !few};
}

Tensor synapse_grad_weight_gpu(const Tensor& grad, const Tensor& taken, const Tensor& w,
                               const GpuSynapse& call, CreditSink* sink) {
  const Tensor x =
      taken.scalar_type() == at::kByte ? unpacked(taken, call.x_sizes, call.compute) : taken;
  return has_few_channels(call) ? grad_weight_patches(grad, x, w, call, sink)
                                : grad_weight_of(grad, x, w, call, sink);
}

// Needs only the sizes of x: rows and columns of x that the stride skips get a zero. With stride 1
// it is an ordinary convolution, at which cuDNN is faster.
Tensor synapse_grad_input_gpu(const Tensor& grad, const ComputeWeight& weight,
                              const GpuSynapse& call) {
  const SynapseGeometry& g = call.geometry;
  const std::vector<int64_t>& x_sizes = call.x_sizes;
  const Tensor& w = weight.forward;

  Tensor rows;
  if (x_sizes.size() == 3) {
    rows = at::mm(fold(grad), w.flatten(1));
  } else if (weight.backward.defined()) {
    rows = at::conv2d(fold(grad), weight.backward, {}, 1,
                      {w.size(2) - 1 - g.padding, w.size(3) - 1 - g.padding});
  } else {
    std::vector<int64_t> skipped;
    for (const int64_t d : {3, 4})
      skipped.push_back((x_sizes[d] + 2 * g.padding - w.size(d - 1)) % g.stride);
    rows = at::conv_transpose2d(fold(grad), w, {}, g.stride, g.padding, skipped);
  }
  return rows.unflatten(0, {x_sizes[0], x_sizes[1]});
}

}  // namespace spikenm::ops
