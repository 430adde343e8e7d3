// Samples -> batches, made ahead of time by worker threads.
#pragma once

#include "spikenm/data/batch_memory.h"
#include "spikenm/data/split.h"
#include "spikenm/data/transforms/mix.h"
#include "spikenm/data/transforms/transform.h"

#include <memory>
#include <vector>

namespace spikenm::data {

struct Batch {
  SampleShape shape;                // of one sample
  bool has_time = true;             // false: static images, shape.frames is 1
  std::shared_ptr<float[]> frames;  // [T,B,C,H,W]
  std::vector<int64_t> labels;      // [B]
  // With mixup or cutmix a sample is `share` its own label and the rest its partner's.
  std::vector<int64_t> partner_labels;  // [B], or empty
  double share = 1;

  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

// What happens to a sample on its way into a batch.
struct Pipeline {
  std::shared_ptr<const TransformChain> augment;  // null: none
  std::vector<double> mean, std;                  // per channel; empty: not normalised
  MixOptions mix;
};

struct LoaderOptions {
  int64_t batch_size = 50;
  // An epoch is a new order, addressed by (seed, epoch), and a last partial batch is left out.
  // Without, samples come in order and the last batch may be smaller.
  bool shuffle = false;
  uint64_t seed = 0;
  int64_t workers = 2;  // 0: batches are made by whoever asks for them
  Pipeline pipeline;
};

// An epoch is the same batches with any number of workers.
class Loader {
 public:
  Loader(View view, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  [[nodiscard]] int64_t batches() const;
  [[nodiscard]] int64_t samples() const { return view_.size(); }

  // The next call of next() gives the epoch's first batch. What was under way is dropped.
  void start_epoch(int64_t epoch);
  // The batches of the epoch, one after another; batches() of them.
  [[nodiscard]] Batch next();

 private:
  class Workers;
  [[nodiscard]] Batch make(int64_t index) const;

  View view_;
  LoaderOptions options_;
  BatchMemory memory_;
  int64_t epoch_ = 0, position_ = 0;
  std::vector<int64_t> order_;
  std::unique_ptr<Workers> workers_;  // of this epoch
};

}  // namespace spikenm::data
