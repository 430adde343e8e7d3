// A dataset that wraps another one and changes how it is read.
#pragma once

#include "spikenm/data/dataset.h"

namespace spikenm::data {

class WrappedDataset : public Dataset {
 public:
  explicit WrappedDataset(std::shared_ptr<const Dataset> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] const DatasetInfo& info() const override { return inner_->info(); }
  [[nodiscard]] int64_t size(Part part) const override { return inner_->size(part); }
  [[nodiscard]] int64_t label(Part part, int64_t index) const override {
    return inner_->label(part, index);
  }
  [[nodiscard]] std::vector<SourceFile> files() const override { return inner_->files(); }
  [[nodiscard]] const RecordingSet* recordings() const override { return inner_->recordings(); }
  [[nodiscard]] std::string cache_key() const override { return inner_->cache_key(); }
  void prepare(const ProgressCallback& progress) const override { inner_->prepare(progress); }

 protected:
  [[nodiscard]] const Dataset& inner() const { return *inner_; }

 private:
  std::shared_ptr<const Dataset> inner_;
};

}  // namespace spikenm::data
