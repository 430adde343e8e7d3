// A loader's batches, brought to the network's device. A batch for a GPU is copied, and finished if
// it is raw, on a separate stream while the step before it runs.
#pragma once

#include "spikenm/train/batch_tensors.h"

#include <cstddef>
#include <memory>

namespace spikenm::train {

// Page-locked memory, which a GPU reads without the CPU's help; batches for a GPU are made in it. A
// released block is used again only after the copies from it have ended.
std::shared_ptr<std::byte[]> page_locked(size_t n_bytes);

class BatchFeed {
 public:
  BatchFeed(data::Loader& loader, const at::Device& device);
  ~BatchFeed();
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  // The loader's next batch, for work on the current stream. On a GPU the call waits until the work
  // sent before the previous call has ended, so that there are never more than two batches.
  [[nodiscard]] BatchTensors next();

 private:
  struct Gpu;
  data::Loader& loader_;
  at::Device device_;
  std::unique_ptr<Gpu> gpu_;  // null on the CPU
};

}  // namespace spikenm::train
