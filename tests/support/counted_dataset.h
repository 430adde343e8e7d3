// A listed dataset that counts its reads, has a cache key, and may do something at each read.
#pragma once

#include "support/listed_dataset.h"

#include <atomic>
#include <functional>

namespace spikenm::test {

class CountedDataset : public ListedDataset {
 public:
  std::string key = "counted 1";
  std::function<void(data::Part, int64_t)> before_read;

  // Samples of `frames` x 2 x 1 x 3 values; a value tells its part, its sample and its place.
  CountedDataset(int64_t n_train, int64_t n_test, int64_t frames = 2) {
    described = {
        .name = "counted", .channels = 2, .height = 1, .width = 3, .classes = 3, .frames = frames};
    for (int64_t i = 0; i < n_train; ++i) train.push_back(numbered(i, 0));
    for (int64_t i = 0; i < n_test; ++i) test.push_back(numbered(i, 1000));
  }

  void read(data::Part part, int64_t index, float* out) const override {
    ++reads_;
    if (before_read) before_read(part, index);
    ListedDataset::read(part, index, out);
  }
  [[nodiscard]] std::string cache_key() const override { return key; }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  [[nodiscard]] ListedSample numbered(int64_t i, int64_t base) const {
    ListedSample sample{.label = i % described.classes};
    for (int64_t place = 0; place < described.sample_size(); ++place)
      sample.values.push_back(static_cast<float>(base + 7 * i + place));
    return sample;
  }

  mutable std::atomic<int> reads_ = 0;
};

inline std::vector<float> values_of(const data::Dataset& dataset, data::Part part, int64_t index) {
  std::vector<float> values(static_cast<size_t>(dataset.info().sample_size()), -1.0f);
  dataset.read(part, index, values.data());
  return values;
}

}  // namespace spikenm::test
