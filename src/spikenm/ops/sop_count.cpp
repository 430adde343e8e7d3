#include "spikenm/ops/sop_count.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/sop_count.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <vector>

namespace spikenm::ops {
namespace {

// Sizes of one sample at one step of x.
std::vector<int64_t> sample_sizes(at::IntArrayRef x_sizes) {
  std::vector<int64_t> sizes = x_sizes.vec();
  sizes[0] = sizes[1] = 1;
  return sizes;
}

// [1,Cin,kh,kw]: the number of output channels whose weight there is not 0.
Tensor live_weights(const Tensor& weight) {
  const Tensor w = checked(weight, "reach: weight");
  Tensor live = at::zeros({1, w.size(1), w.size(2), w.size(3)}, w.options().dtype(at::kFloat));
  if (w.is_cuda()) {
    kernels::count_live_cuda(w.size(0), live.numel(), data<float>(w), data<float>(live),
                             current_stream());
    return live;
  }
  dispatch_real(w, [&](auto zero) {
    using T = decltype(zero);
    kernels::count_live<T>(w.size(0), live.numel(), data<T>(w), data<float>(live));
  });
  return live;
}

}  // namespace

Tensor reach_of(const Tensor& weight, const SynapseGeometry& g, at::IntArrayRef x_sizes,
                const Tensor& keep) {
  keep_aten_single_threaded();
  const at::NoGradGuard no_grad;
  const bool is_flat = x_sizes.size() == 3;  // a map of 1x1
  std::vector<int64_t> out, skipped;         // rows and columns

  for (const int64_t d : {3, 4}) {
    const int64_t room = (is_flat ? 1 : x_sizes[d]) + 2 * g.padding - weight.size(d - 1);
    out.push_back(room / g.stride + 1);
    skipped.push_back(room % g.stride);
  }

  // Without `keep` all output channels are alike and are added up to one channel of counts. Those
  // are double: float convolutions may run in TF32, which is not exact for numbers above 2048.
  const Tensor alive =
      keep.defined() ? weight.ne(0).to(at::kFloat) : live_weights(weight).to(at::kDouble);
  const Tensor kept = keep.defined() ? keep : at::ones({out[0], out[1]}, alive.options());

  return at::conv_transpose2d(
             kept.reshape({1, alive.size(0), out[0], out[1]}).to(alive.scalar_type()), alive, {},
             g.stride, g.padding, skipped)
      .round()  // fast convolutions are not exact
      .to(at::kFloat)
      .view(sample_sizes(x_sizes));
}

void SpikeCounter::add(const Tensor& input, const Tensor& reach) {
  SPIKENM_CHECK(reach.sizes() == sample_sizes(input.sizes()),
                "spike count: found a reach of {} places for {} values of {} samples, wanted one "
                "number a place of a sample",
                reach.numel(), input.numel(), input.size(0) * input.size(1));
  const at::NoGradGuard no_grad;

  const Tensor x = channels_last(input), times = channels_last(reach);
  const int64_t samples = x.size(0) * x.size(1), places = times.numel();
  if (!parts_.defined())
    parts_ = at::zeros({x.is_cuda() ? kernels::kSopParts : 1}, x.options().dtype(at::kDouble));

  if (x.is_cuda()) {
    kernels::sop_count_cuda(samples, places, real_of(x), x.const_data_ptr(), data<float>(times),
                            data<double>(parts_), current_stream());
    return;
  }

  check_real(x, "spike count: input");
  *data<double>(parts_) += dispatch_real(x, [&](auto zero) {
    using T = decltype(zero);
    return kernels::sop_count<T>(samples, places, data<T>(x), data<float>(times));
  });
}

void SpikeCounter::add(const Tensor& x) {
  add(x, at::ones(sample_sizes(x.sizes()), x.options().dtype(at::kFloat)));
}

double SpikeCounter::total() const {
  return parts_.defined() ? parts_.cpu().sum().item<double>() : 0;
}

}  // namespace spikenm::ops
