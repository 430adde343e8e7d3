// A loader's batches, brought to where the network is. To a GPU a batch travels beside the step
// before it: copied, and finished if it is raw, on a stream of its own.
#pragma once

#include "spikenm/train/batch_tensors.h"

#include <cstddef>
#include <memory>

namespace spikenm::train {

// Page-locked memory, which a GPU reads without the CPU's help: where batches that go there are
// made. A released block is used again once the copies from it have ended.
std::shared_ptr<std::byte[]> page_locked(size_t n_bytes);

class BatchFeed {
 public:
  BatchFeed(data::Loader& loader, const at::Device& device);
  ~BatchFeed();
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  // The loader's next batch, for work on the current stream. On a GPU the call waits until the work
  // given before the last call has ended, so that there are never more than two batches.
  [[nodiscard]] BatchTensors next();

 private:
  struct Gpu;
  data::Loader& loader_;
  at::Device device_;
  std::unique_ptr<Gpu> gpu_;  // null on the CPU
};

}  // namespace spikenm::train
