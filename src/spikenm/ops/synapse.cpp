#include "spikenm/ops/synapse.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"
#include "spikenm/kernels/trace.h"
#include "spikenm/ops/kept.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
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

// [T,B,...] -> [T*B,...]: time is outermost, so the fold is a view.
Tensor fold(const Tensor& x) {
  return x.flatten(0, 1);
}

// [T*B,...] -> [T,B,...] as `like` is cut.
Tensor unfold(const Tensor& rows, const Tensor& like) {
  return rows.unflatten(0, {like.size(0), like.size(1)});
}

// One chunk of rows, single-threaded ATen.
Tensor forward_rows(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  if (x.dim() == 2) return at::mm(x, w.flatten(1).t());
  return at::conv2d(x, w, {}, g.stride, g.padding);
}

Tensor grad_input_rows(const Tensor& grad, const Tensor& x, const Tensor& w,
                       const SynapseGeometry& g) {
  if (x.dim() == 2) return at::mm(grad, w.flatten(1));
  return std::get<0>(at::convolution_backward(grad, x, w, at::nullopt, {g.stride, g.stride},
                                              {g.padding, g.padding}, {1, 1}, false, {0, 0}, 1,
                                              {true, false, false}));
}

Tensor grad_weight_rows(const Tensor& grad, const Tensor& x, const Tensor& w,
                        const SynapseGeometry& g) {
  if (x.dim() == 2) return at::mm(grad.t(), x).view(w.sizes());
  return std::get<1>(at::convolution_backward(grad, x, w, at::nullopt, {g.stride, g.stride},
                                              {g.padding, g.padding}, {1, 1}, false, {0, 0}, 1,
                                              {false, true, false}));
}

// Rows are cut into at most 32 chunks, whatever the number of threads: every chunk is one
// single-threaded call, so no sum depends on how many threads there are.
int64_t rows_per_chunk(int64_t rows) {
  return std::max<int64_t>(8, (rows + 31) / 32);
}

// out[chunk] = body(first row, number of rows) for all chunks of rows.
template <class Body>
void for_row_chunks(Tensor& out, Body&& body) {
  const int64_t rows = out.size(0);
  parallel_for(rows, rows_per_chunk(rows), [&](int64_t begin, int64_t end) {
    const at::NoGradGuard no_grad;  // grad mode is per thread
    out.narrow(0, begin, end - begin).copy_(body(begin, end - begin));
  });
}

std::vector<int64_t> output_shape(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  std::vector<int64_t> shape{x.size(0), x.size(1), w.size(0)};
  for (int64_t d = 3; d < x.dim(); ++d)
    shape.push_back((x.size(d) + 2 * g.padding - w.size(d - 1)) / g.stride + 1);
  return shape;
}

// Eq. (7): dL/dW = sum_t g^t. Slices are made a few at a time, one thread each, and added in time
// order.
Tensor grad_weight_over_time(const Tensor& grad, const Tensor& x, const Tensor& w,
                             const SynapseGeometry& g, CreditSink* sink) {
  const bool temporal = sink != nullptr && sink->wanted && sink->kind == CreditKind::kTemporal;
  Tensor total = at::zeros_like(w);
  if (temporal) sink->credit = at::zeros_like(w);
  const int64_t T = x.size(0), wave = std::min<int64_t>(T, threads());
  std::vector<Tensor> slices(static_cast<size_t>(wave));
  for (int64_t first = 0; first < T; first += wave) {
    const int64_t n = std::min(wave, T - first);
    parallel_for(n, 1, [&](int64_t begin, int64_t) {
      const at::NoGradGuard no_grad;
      slices[static_cast<size_t>(begin)] =
          grad_weight_rows(grad[first + begin], x[first + begin], w, g).contiguous();
    });
    for (int64_t i = 0; i < n; ++i) {
      dispatch_real(w, [&](auto zero) {
        using T_ = decltype(zero);
        kernels::accumulate_credit<T_>(w.numel(), data<T_>(slices[static_cast<size_t>(i)]),
                                       data<T_>(total),
                                       temporal ? data<T_>(sink->credit) : nullptr);
      });
    }
  }
  if (sink != nullptr && sink->wanted && !temporal) sink->credit = total.abs();
  return total;
}

struct Call {
  SynapseGeometry geometry;
  std::shared_ptr<CreditSink> sink;
  at::ScalarType compute = at::kFloat;
};

// The same on a GPU, where one call takes all rows: x, w and grad are in the compute type.
Tensor grad_weight_on_gpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                          const SynapseGeometry& g, CreditSink* sink) {
  const bool wanted = sink != nullptr && sink->wanted;
  if (!wanted || sink->kind == CreditKind::kNet) {
    const Tensor total = grad_weight_rows(fold(grad), fold(x), w, g).to(at::kFloat).contiguous();
    if (wanted) sink->credit = total.abs();
    return total;
  }
  Tensor total = at::zeros(w.sizes(), w.options().dtype(at::kFloat));
  sink->credit = at::zeros_like(total);
  for (int64_t t = 0; t < x.size(0); ++t) {
    const Tensor slice = grad_weight_rows(grad[t], x[t], w, g).to(at::kFloat);
    total.add_(slice);
    sink->credit.add_(slice.abs());
  }
  return total;
}

class SynapseFunction : public torch::autograd::Function<SynapseFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& input, const Tensor& weight,
                        const Call& call) {
    ctx->saved_data["call"] = keep(call);
    if (input.is_cuda()) return forward_on_gpu(ctx, input, weight, call);
    const Tensor x = checked(input, "synapse: input"), w = checked(weight, "synapse: weight");
    Tensor out = at::empty(output_shape(x, w, call.geometry), x.options());
    const Tensor rows = fold(x);
    Tensor out_rows = fold(out);
    for_row_chunks(out_rows, [&](int64_t first, int64_t n) {
      return forward_rows(rows.narrow(0, first, n), w, call.geometry);
    });
    ctx->save_for_backward({x, w});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const variable_list saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &w = saved[1];
    const auto& call = kept<Call>(ctx->saved_data["call"]);
    Tensor grad_x, grad_w;
    if (x.is_cuda()) {
      const Tensor grad = channels_last(grads[0].to(call.compute));
      if (ctx->needs_input_grad(0))
        grad_x = unfold(grad_input_rows(fold(grad), fold(x), w, call.geometry), x);
      if (ctx->needs_input_grad(1))
        grad_w = grad_weight_on_gpu(grad, x, w, call.geometry, call.sink.get());
      return {grad_x, grad_w, Tensor()};
    }
    const Tensor grad = checked(grads[0], "synapse: gradient");
    if (ctx->needs_input_grad(0)) {
      grad_x = at::empty_like(x);
      const Tensor rows = fold(x), grad_rows = fold(grad);
      Tensor grad_x_rows = fold(grad_x);
      for_row_chunks(grad_x_rows, [&](int64_t first, int64_t n) {
        return grad_input_rows(grad_rows.narrow(0, first, n), rows.narrow(0, first, n), w,
                               call.geometry);
      });
    }
    if (ctx->needs_input_grad(1))
      grad_w = grad_weight_over_time(grad, x, w, call.geometry, call.sink.get());
    return {grad_x, grad_w, Tensor()};
  }

 private:
  // One call of torch's takes all rows.
  static Tensor forward_on_gpu(AutogradContext* ctx, const Tensor& input, const Tensor& weight,
                               const Call& call) {
    const Tensor x = channels_last(input.to(call.compute));
    const Tensor w = weight.to(call.compute)
                         .contiguous(x.dim() == 5 ? at::MemoryFormat::ChannelsLast
                                                  : at::MemoryFormat::Contiguous);
    ctx->save_for_backward({x, w});
    return unfold(forward_rows(fold(x), w, call.geometry), x);
  }
};

}  // namespace

Tensor synapse(const Tensor& x, const Tensor& weight, const SynapseGeometry& geometry,
               const std::shared_ptr<CreditSink>& credit, at::ScalarType compute) {
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
  return SynapseFunction::apply(x, weight,
                                Call{.geometry = geometry, .sink = credit, .compute = compute});
}

}  // namespace spikenm::ops
