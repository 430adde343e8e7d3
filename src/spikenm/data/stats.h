// The usual statistics of a dataset: class counts, pixel mean and std, events per recording.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/data/dataset.h"

#include <optional>
#include <vector>

namespace spikenm::data {

struct Spread {
  double mean = 0, min = 0, max = 0;
};

// The raw events of the train part.
struct RecordingStats {
  Spread events, seconds;        // per recording
  double events_per_second = 0;  // all events divided by all seconds
  double on_share = 0;           // ON events / all events
};

struct DatasetStats {
  std::vector<int64_t> train_counts, test_counts;  // [classes]
  // Per channel, over every value of the train part (std of the population, as published for
  // CIFAR): pixels in 0..1, or events per pixel and frame. Empty when the train part is empty.
  std::vector<double> mean, std;
  std::optional<RecordingStats> recordings;  // only of sets that have raw events
};

// Samples are not kept: memory does not grow with the set.
DatasetStats compute_stats(const Dataset& dataset, const ProgressCallback& progress = {});

Json to_json(const DatasetStats& stats, const DatasetInfo& info);

}  // namespace spikenm::data
