#include "spikenm/train/batch_tensors.h"

#include "spikenm/ops/augment.h"

#include <ATen/ATen.h>

#include <cstring>

namespace spikenm::train {
namespace {

// Memory that `keep` owns, as a tensor on the device. Does not wait for a copy.
at::Tensor carry(std::shared_ptr<void> keep, at::IntArrayRef shape, at::ScalarType type,
                 const at::Device& device) {
  void* const place = keep.get();
  return at::from_blob(
             place, shape, [keep = std::move(keep)](void*) {}, at::TensorOptions(type))
      .to(device, type, /*non_blocking=*/true);
}

// A copy of plain values on the device. It goes to a GPU through page-locked memory, which torch
// keeps until the GPU has read it.
template <class T>
at::Tensor copy_of(const std::vector<T>& values, at::ScalarType type, const at::Device& device) {
  const auto n = static_cast<int64_t>(values.size() * sizeof(T) / at::elementSize(type));
  const at::Tensor host = at::empty({n}, at::TensorOptions(type).pinned_memory(device.is_cuda()));
  std::memcpy(host.mutable_data_ptr(), values.data(), host.nbytes());
  return host.to(device, type, /*non_blocking=*/true);
}

// Finishes raw images on the device; `shape` is [B,C,H,W].
at::Tensor finish(const data::RawImages& raw, at::IntArrayRef shape, const at::Device& device) {
  ops::AugmentInputs inputs{.pixels = carry(raw.pixels, shape, at::kByte, device),
                            .edits = copy_of(raw.edits, at::kByte, device),
                            .channels = copy_of(raw.channels, at::kByte, device),
                            .mix = raw.mix.edit()};
  if (!raw.mix.partner.empty()) inputs.partner = copy_of(raw.mix.partner, at::kLong, device);
  return ops::augment(inputs);
}

}  // namespace

BatchTensors to_tensors(data::Batch batch, const at::Device& device) {
  const data::SampleShape& s = batch.shape;
  const int64_t B = batch.size();
  BatchTensors tensors{.labels = copy_of(batch.labels, at::kLong, device), .share = batch.share};
  std::vector<int64_t> shape{B, s.channels, s.height, s.width};
  if (batch.has_time) shape.insert(shape.begin(), s.frames);
  tensors.frames = batch.is_raw() ? finish(batch.raw, shape, device)
                                  : carry(std::move(batch.frames), shape, at::kFloat, device);
  if (!batch.partner_labels.empty())
    tensors.partner_labels = copy_of(batch.partner_labels, at::kLong, device);
  return tensors;
}

at::Tensor batch_loss(const Loss& loss, const at::Tensor& scores, const BatchTensors& batch) {
  const at::Tensor own = loss(scores, batch.labels);
  if (!batch.partner_labels.defined()) return own;
  return batch.share * own + (1 - batch.share) * loss(scores, batch.partner_labels);
}

}  // namespace spikenm::train
