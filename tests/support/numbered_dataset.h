// A dataset whose every value tells where it came from: sample, and place in the sample.
#pragma once

#include "spikenm/data/dataset.h"

#include <atomic>
#include <utility>
#include <vector>

namespace spikenm::test {

class NumberedDataset : public data::Dataset {
 public:
  // `labels` are those of the train part, and of the test part too.
  NumberedDataset(std::vector<int64_t> labels, int64_t classes, int64_t frames = 3)
      : labels_(std::move(labels)) {
    info_ = {.name = "numbered",
             .channels = 2,
             .height = 1,
             .width = 3,
             .classes = classes,
             .frames = frames};
  }

  static uint8_t value(int64_t sample, int64_t place) {
    return static_cast<uint8_t>((31 * sample + place) % 251);
  }

  [[nodiscard]] const data::DatasetInfo& info() const override { return info_; }
  [[nodiscard]] int64_t size(data::Part) const override {
    return static_cast<int64_t>(labels_.size());
  }
  [[nodiscard]] int64_t label(data::Part, int64_t index) const override {
    return labels_[static_cast<size_t>(index)];
  }
  void read(data::Part, int64_t index, float* out) const override {
    ++reads_;
    for (int64_t i = 0; i < info_.sample_size(); ++i) out[i] = value(index, i);
  }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  std::vector<int64_t> labels_;
  data::DatasetInfo info_;
  mutable std::atomic<int> reads_ = 0;
};

// 0, 1, …, classes - 1, 0, 1, …
inline std::vector<int64_t> cyclic_labels(int64_t n, int64_t classes) {
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < n; ++i) labels.push_back(i % classes);
  return labels;
}

}  // namespace spikenm::test
