#include "spikenm/ops/synapse.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/credit_product.h"
#include "spikenm/kernels/spike_bits.h"
#include "spikenm/kernels/trace.h"
#include "spikenm/ops/kept.h"
#include "spikenm/ops/patches.h"
#include "spikenm/ops/stream.h"
#include "spikenm/ops/synapse_cpu.h"
#include "spikenm/ops/synapse_rows.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

namespace spikenm::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool is_linear(const Tensor& x) {
  return x.dim() == 3;
}

struct Call {
  SynapseGeometry geometry;
  std::shared_ptr<CreditSink> sink;
  at::ScalarType compute = at::kFloat;
  std::vector<int64_t> x_sizes;  // on a GPU
  int64_t steps = 1;             // as many steps as the result has
};

// The weight's gradient comes in the compute type and, of a convolution, channels-last; it leaves
// as float, contiguous. `slices` are the steps' gradients, or one that is all of them.
Tensor finish_grad_weight(std::vector<Tensor> slices, const Tensor& w, Tensor* credit) {
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
                                   .credit = credit != nullptr ? data<float>(*credit) : nullptr},
                                  current_stream());
  return total;
}

// sum_t g^t, and sum_t |g^t| in `credit`: one product a step, then one pass over the slices.
Tensor grad_weight_slices(const Tensor& grad, const Tensor& x, const Tensor& w,
                          const SynapseGeometry& g, Tensor& credit) {
  std::vector<Tensor> slices;
  for (int64_t t = 0; t < grad.size(0); ++t)
    slices.push_back(grad_weight_rows(grad[t], x[x.size(0) == 1 ? 0 : t], w, g));
  return finish_grad_weight(slices, w, &credit);
}

// The same of a linear layer in 16 bits: one product for all steps.
Tensor grad_weight_fused(const Tensor& grad, const Tensor& x, const Tensor& w, Tensor& credit) {
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
                                .credit = data<float>(credit)},
                               current_stream());
  return total;
}

// Eq. (7) on a GPU, where one call takes all rows: x, w and grad are in the compute type.
Tensor grad_weight_on_gpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                          const SynapseGeometry& g, CreditSink* sink) {
  const bool wanted = sink != nullptr && sink->wanted;
  if (wanted && sink->kind == CreditKind::kTemporal) {
    if (is_linear(x) && x.scalar_type() != at::kFloat && x.size(0) == grad.size(0))
      return grad_weight_fused(grad, x, w, sink->credit);
    return grad_weight_slices(grad, x, w, g, sink->credit);
  }
  // Of a linear layer the product itself can end in float.
  Tensor total =
      is_linear(x) && x.scalar_type() != at::kFloat
          ? at::mm(fold(grad).t(), fold(x), at::kFloat).view(w.sizes())
          : finish_grad_weight({grad_weight_rows(fold(grad), fold(x), w, g)}, w, nullptr);
  if (wanted) sink->credit = total.abs();
  return total;
}

// x itself is not needed, only its sizes: rows and columns of x that the stride skips get a zero.
Tensor grad_input_on_gpu(const Tensor& grad, const Tensor& w, const SynapseGeometry& g,
                         at::IntArrayRef x_sizes) {
  Tensor rows;
  if (x_sizes.size() == 3) {
    rows = at::mm(fold(grad), w.flatten(1));
  } else {
    std::vector<int64_t> skipped;
    for (const int64_t d : {3, 4})
      skipped.push_back((x_sizes[d] + 2 * g.padding - w.size(d - 1)) % g.stride);
    rows = at::conv_transpose2d(fold(grad), w, {}, g.stride, g.padding, skipped);
  }
  return rows.unflatten(0, {x_sizes[0], x_sizes[1]});
}

Tensor unpacked(const Tensor& bits, at::IntArrayRef sizes, at::ScalarType type) {
  Tensor x = empty_channels_last(sizes, bits.options().dtype(type));
  kernels::unpack_spikes_cuda(x.numel(), data<uint8_t>(bits), real_of(x), x.mutable_data_ptr(),
                              current_stream());
  return x;
}

// Whether a convolution is done as a product over patches (patches.h).
bool has_few_channels(const Call& call) {
  return call.x_sizes.size() == 5 && call.x_sizes[2] < 8 && call.compute != at::kFloat;
}

// y [T,B,Cout,OH,OW], channels-last, from patches [T*B*OH*OW, K].
Tensor forward_patches(const Tensor& rows, const Tensor& w, const Call& call) {
  const std::vector<int64_t>& x = call.x_sizes;
  const SynapseGeometry& g = call.geometry;
  const int64_t height = (x[3] + 2 * g.padding - w.size(2)) / g.stride + 1;
  return at::mm(rows, patch_weight(w).t())
      .view({x[0], x[1], height, -1, w.size(0)})
      .permute({0, 1, 4, 2, 3});
}

// One product a sample; samples of a step make its slice.
Tensor grad_weight_patches(const Tensor& grad, const Tensor& rows, const Tensor& w,
                           CreditSink* sink) {
  const int64_t T = grad.size(0), B = grad.size(1), places = grad.size(3) * grad.size(4);
  const Tensor errors = grad.flatten(0, 1).flatten(2);  // [T*B, Cout, places]
  Tensor seen = rows.view({-1, B, places, rows.size(1)});
  if (seen.size(0) < T) seen = seen.expand({T, -1, -1, -1});
  const Tensor slices =
      at::bmm(errors, seen.flatten(0, 1), at::kFloat).view({T, B, w.size(0), rows.size(1)}).sum(1);
  Tensor total = from_patch_weight(slices.sum(0), w.sizes());
  if (sink != nullptr && sink->wanted)
    sink->credit = sink->kind == CreditKind::kNet
                       ? total.abs()
                       : from_patch_weight(slices.abs().sum(0), w.sizes());
  return total;
}

class SynapseFunction : public torch::autograd::Function<SynapseFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bits, const Call& call) {
    ctx->saved_data["call"] = keep(call);
    if (input.is_cuda()) return forward_on_gpu(ctx, input, weight, bits.value_or(Tensor()), call);
    check_real(input, "synapse: input");
    const Tensor x = channels_last(input), w = checked(weight, "synapse: weight");
    ctx->save_for_backward({x, w});
    return synapse_forward_cpu(x, w, call.geometry);
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    const auto& call = kept<Call>(ctx->saved_data["call"]);
    if (w.is_cuda()) return backward_on_gpu(ctx, grads[0], x, w, call);
    check_real(grads[0], "synapse: gradient");
    const Tensor grad = channels_last(grads[0]);
    Tensor grad_x, grad_w;
    if (ctx->needs_input_grad(0)) grad_x = synapse_grad_input_cpu(grad, x, w, call.geometry);
    if (ctx->needs_input_grad(1))
      grad_w = synapse_grad_weight_cpu(grad, x, w, call.geometry, call.sink.get());
    return {grad_x, grad_w, Tensor(), Tensor()};
  }

 private:
  // One call of torch's takes all rows.
  static Tensor forward_on_gpu(AutogradContext* ctx, const Tensor& input, const Tensor& weight,
                               const Tensor& bits, const Call& call) {
    Tensor x = channels_last(input.to(call.compute));
    const Tensor w =
        weight.to(weight.options().dtype(call.compute), /*non_blocking=*/false,
                  /*copy=*/false,
                  x.dim() == 5 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
    const bool few = has_few_channels(call);
    if (few) x = patches(fold(x), w, call.geometry);
    ctx->save_for_backward({bits.defined() && !few ? bits : x, w});
    const Tensor y =
        few ? forward_patches(x, w, call) : unfold(forward_rows(fold(x), w, call.geometry), x);
    if (y.size(0) == call.steps) return y;
    std::vector<int64_t> sizes = y.sizes().vec();
    sizes[0] = call.steps;
    return y.expand(sizes);
  }

  // The weight's gradient first: what was unpacked for it is gone before the input's is made.
  static variable_list backward_on_gpu(AutogradContext* ctx, const Tensor& given,
                                       const Tensor& saved, const Tensor& w, const Call& call) {
    const Tensor grad = channels_last(given.to(call.compute));
    Tensor grad_x, grad_w;
    if (ctx->needs_input_grad(1)) {
      const Tensor x =
          saved.scalar_type() == at::kByte ? unpacked(saved, call.x_sizes, call.compute) : saved;
      grad_w = has_few_channels(call)
                   ? grad_weight_patches(grad, x, w, call.sink.get())
                   : grad_weight_on_gpu(grad, x, w, call.geometry, call.sink.get());
    }
    if (ctx->needs_input_grad(0)) grad_x = grad_input_on_gpu(grad, w, call.geometry, call.x_sizes);
    return {grad_x, grad_w, Tensor(), Tensor()};
  }
};

}  // namespace

Tensor synapse(const Tensor& x, const Tensor& weight, const SynapseGeometry& geometry,
               const std::shared_ptr<CreditSink>& credit, at::ScalarType compute,
               const Tensor& bits, int64_t steps) {
  SPIKENM_CHECK(weight.dim() == 4 && (x.dim() == 3 || x.dim() == 5),
                "synapse: found a {}-d input and a {}-d weight, wanted [T,B,C,H,W] or [T,B,C] and "
                "[Cout,Cin,kh,kw]",
                x.dim(), weight.dim());
  SPIKENM_CHECK(x.size(2) == weight.size(1), "synapse: found {} input channels, wanted {}",
                x.size(2), weight.size(1));
  SPIKENM_CHECK(!is_linear(x) || (weight.size(2) == 1 && weight.size(3) == 1),
                "synapse: a flat input needs a 1x1 weight, found {}x{}", weight.size(2),
                weight.size(3));
  keep_aten_single_threaded();
  return SynapseFunction::apply(x, weight, bits.defined() ? std::optional(bits) : std::nullopt,
                                Call{.geometry = geometry,
                                     .sink = credit,
                                     .compute = compute,
                                     .x_sizes = x.sizes().vec(),
                                     .steps = std::max(x.size(0), steps)});
}

}  // namespace spikenm::ops
