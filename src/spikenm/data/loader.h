// Samples -> batches.
#pragma once

#include "spikenm/data/split.h"

#include <ATen/core/Tensor.h>

namespace spikenm::data {

struct Batch {
  at::Tensor frames;  // [T,B,C,H,W] float, or [B,C,H,W] for static images
  at::Tensor labels;  // [B] int64
};

// Keeps every sample it has read (as bytes), so that data made on the fly is made once.
class Loader {
 public:
  // With `shuffle` an epoch is a new order, addressed by (seed, epoch), and a last partial batch is
  // left out; without, samples come in order and the last batch may be smaller.
  Loader(View view, int64_t batch_size, bool shuffle, uint64_t seed);

  [[nodiscard]] int64_t batches() const;
  [[nodiscard]] int64_t samples() const { return view_.size(); }
  void start_epoch(int64_t epoch);
  [[nodiscard]] Batch batch(int64_t index);

 private:
  const uint8_t* sample(int64_t i);

  View view_;
  int64_t batch_size_;
  bool shuffle_;
  uint64_t seed_;
  std::vector<int64_t> order_;
  std::vector<uint8_t> cache_;   // [samples, sample_size]
  std::vector<uint8_t> cached_;  // 1 when the sample is in the cache
};

}  // namespace spikenm::data
