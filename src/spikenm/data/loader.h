// Samples -> batches, made ahead of time by worker threads.
#pragma once

#include "spikenm/data/batch_memory.h"
#include "spikenm/data/split.h"
#include "spikenm/data/transforms/mix.h"
#include "spikenm/data/transforms/transform.h"

#include <memory>
#include <vector>

namespace spikenm::data {

// Images as the dataset holds them, and the work that is left: the edit of every sample, the
// scaling of every channel, then the mix. The result has the same bits as a finished batch.
struct RawImages {
  std::shared_ptr<uint8_t[]> pixels;  // [B,C,H,W]
  std::vector<PlaneEdit> edits;       // [B]
  std::vector<ChannelEdit> channels;  // [C]
  Mix mix;
};

struct Batch {
  SampleShape shape;                // of one sample
  bool has_time = true;             // false: static images, shape.frames is 1
  std::shared_ptr<float[]> frames;  // [T,B,C,H,W]; null: see `raw`
  RawImages raw;                    // filled if Pipeline::raw
  std::vector<int64_t> labels;      // [B]
  // With mixup or cutmix, a sample counts `share` for its own label and 1 - share for its
  // partner's.
  std::vector<int64_t> partner_labels;  // [B], or empty
  double share = 1;

  [[nodiscard]] bool is_raw() const { return raw.pixels != nullptr; }
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

// What is done to a sample before it is in a batch.
struct Pipeline {
  std::shared_ptr<const TransformChain> augment;  // null: none
  std::vector<double> mean, std;                  // per channel; empty: not normalised
  MixOptions mix;
  bool raw = false;  // samples stay raw, for a GPU to finish; needs an empty raw_obstacle()
};

// Why batches of these samples cannot stay raw, for a message: "'rotate:30' …". Empty: they can.
std::string raw_obstacle(const Dataset& dataset, const Pipeline& pipeline);

struct LoaderOptions {
  int64_t batch_size = 50;
  // True: each epoch has a new order, addressed by (seed, epoch), and a last partial batch is left
  // out. False: samples come in order and the last batch may be smaller.
  bool shuffle = false;
  uint64_t seed = 0;
  int64_t workers = 2;  // 0: next() makes the batch itself
  Pipeline pipeline;
  BlockSource memory;  // memory of batches; null: the heap
};

// An epoch has the same batches with any number of workers.
class Loader {
 public:
  Loader(View view, LoaderOptions options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  [[nodiscard]] int64_t batches() const;
  [[nodiscard]] int64_t samples() const { return view_.size(); }

  // After this, next() returns the epoch's batch `first`. Batches in preparation are dropped.
  void start_epoch(int64_t epoch, int64_t first = 0);
  // The samples of a batch of the epoch, by their index in their part of the dataset.
  [[nodiscard]] std::vector<int64_t> samples_in(int64_t batch) const;
  // The batches of the epoch, one after another; batches() of them.
  [[nodiscard]] Batch next();

 private:
  class Workers;
  [[nodiscard]] Batch make(int64_t index) const;
  void read_finished(int64_t first, int64_t B, Batch& batch) const;
  void read_raw(int64_t first, int64_t B, Batch& batch) const;

  View view_;
  LoaderOptions options_;
  BatchMemory memory_;
  int64_t epoch_ = 0, position_ = 0;
  std::vector<int64_t> order_;
  std::unique_ptr<Workers> workers_;  // of this epoch
};

}  // namespace spikenm::data
