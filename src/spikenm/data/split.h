// Which samples are used for what. Training gets the train and validation views. The test view is
// made separately, by the code that measures the finished model, so that a trainer cannot use it.
#pragma once

#include "spikenm/data/dataset.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace spikenm::data {

// Some samples of one part of a dataset.
class View {
 public:
  View(std::shared_ptr<const Dataset> dataset, Part part, std::vector<int64_t> indices)
      : dataset_(std::move(dataset)), part_(part), indices_(std::move(indices)) {}

  [[nodiscard]] const DatasetInfo& info() const { return dataset_->info(); }
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(indices_.size()); }
  [[nodiscard]] int64_t label(int64_t i) const { return dataset_->label(part_, at(i)); }
  void read(int64_t i, float* out) const { dataset_->read(part_, at(i), out); }
  [[nodiscard]] const uint8_t* bytes(int64_t i) const { return dataset_->bytes(part_, at(i)); }
  // Its first n samples, or all if it has fewer.
  [[nodiscard]] View first(int64_t n) const {
    return {dataset_, part_, {indices_.begin(), indices_.begin() + std::min(n, size())}};
  }
  // The sample's index in its part of the dataset; it does not depend on the split.
  [[nodiscard]] int64_t index_in_part(int64_t i) const { return at(i); }

 private:
  [[nodiscard]] int64_t at(int64_t i) const { return indices_[static_cast<size_t>(i)]; }
  std::shared_ptr<const Dataset> dataset_;
  Part part_;
  std::vector<int64_t> indices_;
};

struct TrainViews {
  View train, validation;
};

// Reserves `fraction` of every class of the train part for validation, chosen by seed. Throws an
// Error when a view would be empty.
TrainViews split_train(const std::shared_ptr<const Dataset>& dataset, double fraction,
                       uint64_t seed);

View test_view(const std::shared_ptr<const Dataset>& dataset);

}  // namespace spikenm::data
