#include "spikenm/train/batch_feed.h"

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>

namespace spikenm::train {
namespace {

c10::impl::VirtualGuardImpl cuda() {
  return c10::impl::VirtualGuardImpl(at::kCUDA);
}

// One stream for the whole run, since torch keeps GPU memory separately for each stream. It has
// high priority, since its work is short and the next step waits for it.
c10::Stream copy_stream(const at::Device& device) {
  static const c10::Stream stream = cuda().getStreamFromGlobalPool(device, /*isHighPriority=*/true);
  return stream;
}

}  // namespace

std::shared_ptr<std::byte[]> page_locked(size_t n_bytes) {
  const at::Tensor block =
      at::empty({static_cast<int64_t>(n_bytes)}, at::TensorOptions(at::kByte).pinned_memory(true));
  return {static_cast<std::byte*>(block.mutable_data_ptr()), [block](std::byte*) {}};
}

struct BatchFeed::Gpu {
  c10::Stream copies;
  c10::Event given{at::kCUDA};    // the GPU work sent before the last next() is done
  c10::Event arrived{at::kCUDA};  // the batch is on the GPU
};

BatchFeed::BatchFeed(data::Loader& loader, const at::Device& device)
    : loader_(loader), device_(device) {
  if (device.is_cuda()) gpu_ = std::make_unique<Gpu>(copy_stream(device));
}

BatchFeed::~BatchFeed() = default;

BatchTensors BatchFeed::next() {
  if (!gpu_) return to_tensors(loader_.next(), device_);
  const c10::Stream work = cuda().getStream(device_);
  gpu_->given.synchronize();
  gpu_->given.record(work);

  data::Batch batch = loader_.next();
  BatchTensors tensors;
  {
    const c10::StreamGuard guard(gpu_->copies);
    tensors = to_tensors(std::move(batch), device_);
    gpu_->arrived.record(gpu_->copies);
  }

  gpu_->arrived.block(work);
  // Made on one stream and used on another: torch must not reuse the memory before that use ends.
  for (const at::Tensor* t : {&tensors.frames, &tensors.labels, &tensors.partner_labels})
    if (t->defined()) t->record_stream(work);
  return tensors;
}

}  // namespace spikenm::train
