// The border between batches of plain memory and tensors.
#pragma once

#include "spikenm/data/loader.h"
#include "spikenm/train/loss.h"

#include <ATen/core/Tensor.h>

namespace spikenm::train {

struct BatchTensors {
  at::Tensor frames;          // [T,B,C,H,W] float, or [B,C,H,W] for static images
  at::Tensor labels;          // [B] int64
  at::Tensor partner_labels;  // [B] int64 with mixup or cutmix, else undefined
  double share = 1;           // weight of a sample's own label
};

// On the CPU the tensors take over the batch's memory; only the labels are copied. On a GPU
// everything runs on the current stream and the host does not wait; raw images are finished there.
BatchTensors to_tensors(data::Batch batch, const at::Device& device = at::kCPU);

// The loss of scores [T,B,classes] against the labels, mixed by the shares of the batch.
at::Tensor batch_loss(const Loss& loss, const at::Tensor& scores, const BatchTensors& batch);

}  // namespace spikenm::train
