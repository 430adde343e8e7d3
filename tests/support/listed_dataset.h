// A dataset and recordings given as lists, with whatever a test wants to be wrong in them.
#pragma once

#include "spikenm/data/recording_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

struct ListedSample {
  int64_t label = 0;
  std::vector<float> values;  // what read() copies out
  std::string error;          // what read() throws instead, unless empty
};

class ListedRecordings : public data::RecordingSet {
 public:
  std::vector<data::Recording> train;

  [[nodiscard]] int64_t size(data::Part part) const override {
    return part == data::Part::kTrain ? static_cast<int64_t>(train.size()) : 0;
  }
  [[nodiscard]] int64_t label(data::Part, int64_t) const override { return 0; }
  [[nodiscard]] std::string name(data::Part, int64_t index) const override {
    return fmt::format("recording_{}.bin", index);
  }
  void load(data::Part, int64_t index, data::Recording& out) const override {
    out = train[static_cast<size_t>(index)];
  }
  [[nodiscard]] std::vector<data::SourceFile> files() const override { return {}; }
};

class ListedDataset : public data::Dataset {
 public:
  data::DatasetInfo described;
  std::vector<ListedSample> train, test;
  std::vector<data::SourceFile> source_files;
  std::unique_ptr<ListedRecordings> raw;

  [[nodiscard]] const data::DatasetInfo& info() const override { return described; }
  [[nodiscard]] int64_t size(data::Part part) const override {
    return static_cast<int64_t>(samples(part).size());
  }
  [[nodiscard]] int64_t label(data::Part part, int64_t index) const override {
    return samples(part)[static_cast<size_t>(index)].label;
  }
  void read(data::Part part, int64_t index, float* out) const override {
    const ListedSample& sample = samples(part)[static_cast<size_t>(index)];
    SPIKENM_CHECK(sample.error.empty(), "{}", sample.error);
    std::copy(sample.values.begin(), sample.values.end(), out);
  }
  [[nodiscard]] std::vector<data::SourceFile> files() const override { return source_files; }
  [[nodiscard]] const data::RecordingSet* recordings() const override { return raw.get(); }

 private:
  [[nodiscard]] const std::vector<ListedSample>& samples(data::Part part) const {
    return part == data::Part::kTrain ? train : test;
  }
};

}  // namespace spikenm::test
