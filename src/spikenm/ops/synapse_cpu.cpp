#include "spikenm/ops/synapse_cpu.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/conv3x3.h"
#include "spikenm/kernels/credit_sum.h"
#include "spikenm/ops/synapse_rows.h"

#include <algorithm>
#include <vector>

namespace spikenm::ops {
namespace {

bool is_linear(const Tensor& x) {
  return x.dim() == 3;
}

// Whether conv3x3 can run the layer. With fewer channels its transforms cost more than they save.
bool is_conv3x3(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  return x.dim() == 5 && x.scalar_type() == at::kFloat && w.size(2) == 3 && w.size(3) == 3 &&
         g.stride == 1 && g.padding == 1 && std::min(w.size(0), w.size(1)) >= 16 &&
         kernels::has_conv3x3();
}

kernels::Conv3x3 shape_of(const Tensor& rows, const Tensor& w) {
  return {.images = rows.size(0),
          .height = rows.size(2),
          .width = rows.size(3),
          .cin = w.size(1),
          .cout = w.size(0)};
}

Tensor workspace_for(const kernels::Conv3x3& shape, const Tensor& like) {
  return at::empty({kernels::conv3x3_workspace(shape)}, like.options());
}

// Calls body(first, n) for pieces of [0, total), of about 128 Ki weights each; one item of `total`
// has `per_piece` weights.
template <class Body>
void for_weight_pieces(int64_t total, int64_t per_piece, Body&& body) {
  const int64_t grain = std::max<int64_t>(16, (int64_t{1} << 17) / std::max<int64_t>(1, per_piece));
  parallel_for(total, grain, [&](int64_t begin, int64_t end) {
    const AtenInChunk aten;
    body(begin, end - begin);
  });
}

// out[chunk] = body(first row, number of rows) for all chunks of rows, at most 32 chunks.
template <class Body>
void for_row_chunks(Tensor& out, Body&& body) {
  const int64_t rows = out.size(0);
  parallel_for(rows, std::max<int64_t>(8, (rows + 31) / 32), [&](int64_t begin, int64_t end) {
    const AtenInChunk aten;
    out.narrow(0, begin, end - begin).copy_(body(begin, end - begin));
  });
}

std::vector<int64_t> output_shape(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  std::vector<int64_t> shape{x.size(0), x.size(1), w.size(0)};
  for (int64_t d = 3; d < x.dim(); ++d) shape.push_back(g.out(x.size(d), w.size(d - 1)));
  return shape;
}

// total += slice, and credit += |slice| if credit is defined.
void add_slice(const Tensor& slice, const Tensor& total, const Tensor& credit) {
  dispatch_real(total, [&](auto zero) {
    using Real = decltype(zero);
    kernels::accumulate_credit<Real>(total.numel(), data<Real>(slice), data<Real>(total),
                                     credit.defined() ? data<Real>(credit) : nullptr);
  });
}

// Works on pieces of output features: a piece's slices of all steps stay in the cache.
void linear_grad_weight(const Tensor& grad, const Tensor& x, const Tensor& total,
                        const Tensor& credit) {
  const Tensor rows = total.flatten(1);
  for_weight_pieces(rows.size(0), rows.size(1), [&](int64_t first, int64_t n) {
    Tensor piece = rows.narrow(0, first, n);
    if (!credit.defined()) {
      at::mm_out(piece, fold(grad).narrow(1, first, n).t(), fold(x));
      return;
    }

    piece.zero_();
    for (int64_t t = 0; t < x.size(0); ++t)
      add_slice(at::mm(grad[t].narrow(1, first, n).t(), x[t]), piece,
                credit.flatten(1).narrow(0, first, n));
  });
}

void conv3x3_grad_weight(const Tensor& grad, const Tensor& x, const Tensor& w, const Tensor& total,
                         const Tensor& credit) {
  const auto run = [&](const Tensor& grad_rows, const Tensor& rows, const Tensor& out) {
    const kernels::Conv3x3 shape = shape_of(rows, w);
    kernels::conv3x3_grad_weight(shape, data<float>(rows), data<float>(grad_rows), data<float>(out),
                                 data<float>(workspace_for(shape, out)));
  };
  if (!credit.defined()) return run(fold(grad), fold(x), total);

  const Tensor slice = at::empty_like(total);
  total.zero_();
  for (int64_t t = 0; t < x.size(0); ++t) {
    run(grad[t], x[t], slice);
    add_slice(slice, total, credit);
  }
}

// Slices of other convolutions are made a few steps at a time, one thread per step, and added in
// the order of time.
void conv_grad_weight(const Tensor& grad, const Tensor& x, const Tensor& w,
                      const SynapseGeometry& g, const Tensor& total, const Tensor& credit) {
  const int64_t T = x.size(0), wave = std::min<int64_t>(T, threads());
  std::vector<Tensor> slices(static_cast<size_t>(wave));
  total.zero_();
  for (int64_t first = 0; first < T; first += wave) {
    const int64_t n = std::min(wave, T - first);
    parallel_for(n, 1, [&](int64_t begin, int64_t) {
      const AtenInChunk aten;
      slices[static_cast<size_t>(begin)] =
          grad_weight_rows(grad[first + begin], x[first + begin], w, g).contiguous();
    });
    for (int64_t i = 0; i < n; ++i) add_slice(slices[static_cast<size_t>(i)], total, credit);
  }
}

}  // namespace

Tensor synapse_forward_cpu(const Tensor& x, const Tensor& w, const SynapseGeometry& g) {
  Tensor y = empty_channels_last(output_shape(x, w, g), x.options());
  const Tensor rows = fold(x);
  Tensor out = fold(y);

  if (is_linear(x)) {
    for_weight_pieces(w.size(0), w.size(1), [&](int64_t first, int64_t n) {
      Tensor piece = out.narrow(1, first, n);
      at::mm_out(piece, rows, w.flatten(1).narrow(0, first, n).t());
    });
  } else if (is_conv3x3(x, w, g)) {
    const kernels::Conv3x3 shape = shape_of(rows, w);
    kernels::conv3x3_forward(shape, data<float>(rows), data<float>(w), data<float>(out),
                             data<float>(workspace_for(shape, x)));
  } else {
    const Tensor weight = w.contiguous(at::MemoryFormat::ChannelsLast);
    for_row_chunks(out, [&](int64_t first, int64_t n) {
      return forward_rows(rows.narrow(0, first, n), weight, g);
    });
  }
  return y;
}

Tensor synapse_grad_input_cpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                              const SynapseGeometry& g) {
  Tensor grad_x = empty_channels_last(x.sizes(), x.options());
  const Tensor rows = fold(grad);
  Tensor out = fold(grad_x);

  if (is_linear(x)) {
    for_weight_pieces(w.size(1), w.size(0), [&](int64_t first, int64_t n) {
      Tensor piece = out.narrow(1, first, n);
      at::mm_out(piece, rows, w.flatten(1).narrow(1, first, n));
    });
  } else if (is_conv3x3(x, w, g)) {
    const kernels::Conv3x3 shape = shape_of(out, w);
    kernels::conv3x3_grad_input(shape, data<float>(rows), data<float>(w), data<float>(out),
                                data<float>(workspace_for(shape, x)));
  } else {
    const Tensor weight = w.contiguous(at::MemoryFormat::ChannelsLast), x_rows = fold(x);
    for_row_chunks(out, [&](int64_t first, int64_t n) {
      return std::get<0>(at::convolution_backward(rows.narrow(0, first, n),
                                                  x_rows.narrow(0, first, n), weight, at::nullopt,
                                                  {g.stride, g.stride}, {g.padding, g.padding},
                                                  {1, 1}, false, {0, 0}, 1, {true, false, false}));
    });
  }
  return grad_x;
}

// Eq. (7): dL/dW = sum_t g^t.
Tensor synapse_grad_weight_cpu(const Tensor& grad, const Tensor& x, const Tensor& w,
                               const SynapseGeometry& g, CreditSink* sink) {
  const bool wanted = sink != nullptr && sink->kind != CreditKind::kNone;
  Tensor total = at::empty_like(w), credit;
  if (wanted && sink->kind == CreditKind::kTemporal) credit = at::zeros_like(w);

  if (is_linear(x)) {
    linear_grad_weight(grad, x, total, credit);
  } else if (is_conv3x3(x, w, g)) {
    conv3x3_grad_weight(grad, x, w, total, credit);
  } else {
    conv_grad_weight(grad, x, w, g, total, credit);
  }

  if (wanted) sink->credit = credit.defined() ? credit : total.abs();
  return total;
}

}  // namespace spikenm::ops
