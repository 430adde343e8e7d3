#include "spikenm/train/batch_tensors.h"

#include <ATen/ATen.h>

namespace spikenm::train {

BatchTensors to_tensors(data::Batch batch, const at::Device& device) {
  const data::SampleShape& s = batch.shape;
  const int64_t B = batch.size();
  float* const frames = batch.frames.get();
  BatchTensors tensors{
      .frames = at::from_blob(
          frames, {s.frames, B, s.channels, s.height, s.width},
          [keep = std::move(batch.frames)](void*) {}, at::TensorOptions(at::kFloat)),
      .labels = at::tensor(batch.labels, at::kLong),
      .share = batch.share};
  if (!batch.has_time) tensors.frames = tensors.frames.squeeze(0);
  if (!batch.partner_labels.empty())
    tensors.partner_labels = at::tensor(batch.partner_labels, at::kLong).to(device);
  tensors.frames = tensors.frames.to(device);
  tensors.labels = tensors.labels.to(device);
  return tensors;
}

at::Tensor batch_loss(const Loss& loss, const at::Tensor& scores, const BatchTensors& batch) {
  const at::Tensor own = loss(scores, batch.labels);
  if (!batch.partner_labels.defined()) return own;
  return batch.share * own + (1 - batch.share) * loss(scores, batch.partner_labels);
}

}  // namespace spikenm::train
