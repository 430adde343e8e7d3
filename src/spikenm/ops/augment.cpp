#include "spikenm/ops/augment.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/augment.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>

namespace spikenm::ops {
namespace {

// The items that a tensor of bytes holds.
template <class T>
const T* items(const at::Tensor& bytes, int64_t n) {
  SPIKENM_ASSERT(bytes.is_contiguous() && bytes.nbytes() == static_cast<size_t>(n) * sizeof(T));
  return static_cast<const T*>(bytes.const_data_ptr());
}

}  // namespace

at::Tensor augment(const AugmentInputs& in) {
  const at::Tensor& pixels = in.pixels;
  SPIKENM_ASSERT(pixels.dim() == 4 && pixels.scalar_type() == at::kByte && pixels.is_contiguous());
  const bool on_gpu = pixels.is_cuda();
  const at::Tensor out =
      at::empty(pixels.sizes(), pixels.options().dtype(at::kFloat),
                on_gpu ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);

  kernels::Augment args{.B = pixels.size(0),
                        .C = pixels.size(1),
                        .H = pixels.size(2),
                        .W = pixels.size(3),
                        .pixels = pixels.const_data_ptr<uint8_t>(),
                        .edits = items<PlaneEdit>(in.edits, pixels.size(0)),
                        .channels = items<ChannelEdit>(in.channels, pixels.size(1)),
                        .mix = in.mix,
                        .out = out.mutable_data_ptr<float>(),
                        .stride_b = out.stride(0),
                        .stride_c = out.stride(1),
                        .stride_y = out.stride(2),
                        .stride_x = out.stride(3)};

  if (in.partner.defined()) args.partner = items<int64_t>(in.partner, args.B);
  if (on_gpu)
    kernels::augment_cuda(args, current_stream());
  else
    kernels::augment(args);
  return out;
}

}  // namespace spikenm::ops
