#include "spikenm/data/stats.h"

#include "spikenm/data/recording_set.h"
#include "spikenm/data/walk.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {
namespace {

std::vector<int64_t> count_classes(const Dataset& dataset, Part part) {
  const DatasetInfo& info = dataset.info();
  std::vector<int64_t> counts(static_cast<size_t>(info.classes), 0);
  for (int64_t i = 0; i < dataset.size(part); ++i) {
    const int64_t label = dataset.label(part, i);
    SPIKENM_CHECK(0 <= label && label < info.classes,
                  "{}: found label {} on {} sample {}, wanted "
                  "0 to {}",
                  info.name, label, part == Part::kTrain ? "train" : "test", i, info.classes - 1);
    ++counts[static_cast<size_t>(label)];
  }
  return counts;
}

struct ChannelSums {
  std::vector<double> sum, squares;  // [channels]

  void add(const ChannelSums& other) {
    for (size_t c = 0; c < sum.size(); ++c) {
      sum[c] += other.sum[c];
      squares[c] += other.squares[c];
    }
  }
};

ChannelSums zero_sums(const SampleShape& shape) {
  const auto channels = static_cast<size_t>(shape.channels);
  return {std::vector<double>(channels, 0), std::vector<double>(channels, 0)};
}

ChannelSums sum_sample(const Dataset& dataset, int64_t index) {
  const SampleShape shape = dataset.info().shape();
  std::vector<float> values(static_cast<size_t>(shape.size()));
  dataset.read(Part::kTrain, index, values.data());

  ChannelSums sums = zero_sums(shape);
  for (int64_t p = 0; p < shape.planes(); ++p) {
    const float* const plane = values.data() + p * shape.plane();
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < shape.plane(); ++i) {
      const double v = plane[i];
      sum += v;
      squares += v * v;
    }
    sums.sum[static_cast<size_t>(p % shape.channels)] += sum;
    sums.squares[static_cast<size_t>(p % shape.channels)] += squares;
  }
  return sums;
}

void compute_mean_and_std(const Dataset& dataset, const ProgressCallback& progress,
                          DatasetStats& stats) {
  const DatasetInfo& info = dataset.info();
  const SampleShape shape = info.shape();
  ChannelSums total = zero_sums(shape);
  const int64_t n_samples = dataset.size(Part::kTrain);

  walk(
      n_samples, "train", progress, [&](int64_t i) { return sum_sample(dataset, i); },
      [&](int64_t, const ChannelSums& sums) { total.add(sums); });

  const double n = static_cast<double>(n_samples) * static_cast<double>(shape.frames) *
                   static_cast<double>(shape.plane());  // values per channel

  if (n == 0) return;
  const double scale = info.events ? 1 : 1.0 / 255;
  for (size_t c = 0; c < total.sum.size(); ++c) {
    const double mean = total.sum[c] / n;
    const double variance = std::max(0.0, total.squares[c] / n - mean * mean);
    stats.mean.push_back(scale * mean);
    stats.std.push_back(scale * std::sqrt(variance));
  }
}

struct RecordingTotals {
  double events = 0, on = 0, seconds = 0;
};

RecordingTotals count_recording(const RecordingSet& recordings, int64_t index) {
  Recording recording;
  recordings.load(Part::kTrain, index, recording);
  RecordingTotals totals{.events = static_cast<double>(recording.events.size())};
  if (recording.events.empty()) return totals;
  int64_t first = recording.events.front().t, last = first;  // times in files may decrease
  for (const Event& event : recording.events) {
    totals.on += event.on;
    first = std::min(first, event.t);
    last = std::max(last, event.t);
  }
  totals.seconds = 1e-6 * (static_cast<double>(last) - static_cast<double>(first));
  return totals;
}

RecordingStats compute_recording_stats(const RecordingSet& recordings,
                                       const ProgressCallback& progress) {
  RecordingStats stats;
  RecordingTotals all;
  const int64_t n = recordings.size(Part::kTrain);
  const auto include = [](Spread& spread, int64_t i, double value) {
    spread.min = i == 0 ? value : std::min(spread.min, value);
    spread.max = i == 0 ? value : std::max(spread.max, value);
  };
  walk(
      n, "train recordings", progress, [&](int64_t i) { return count_recording(recordings, i); },
      [&](int64_t i, const RecordingTotals& one) {
        include(stats.events, i, one.events);
        include(stats.seconds, i, one.seconds);
        all.events += one.events;
        all.on += one.on;
        all.seconds += one.seconds;
      });

  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  stats.events.mean = share(all.events, static_cast<double>(n));
  stats.seconds.mean = share(all.seconds, static_cast<double>(n));
  stats.events_per_second = share(all.events, all.seconds);
  stats.on_share = share(all.on, all.events);
  return stats;
}

Json to_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"min", spread.min}, {"max", spread.max}};
}

}  // namespace

DatasetStats compute_stats(const Dataset& dataset, const ProgressCallback& progress) {
  DatasetStats stats;
  stats.train_counts = count_classes(dataset, Part::kTrain);
  stats.test_counts = count_classes(dataset, Part::kTest);
  compute_mean_and_std(dataset, progress, stats);
  if (dataset.recordings() != nullptr)
    stats.recordings = compute_recording_stats(*dataset.recordings(), progress);
  return stats;
}

Json to_json(const DatasetStats& stats, const DatasetInfo& info) {
  Json json{{"name", info.name},
            {"split", info.split},
            {"shape", {info.shape().frames, info.channels, info.height, info.width}},
            {"class_names", info.class_names},
            {"train_counts", stats.train_counts},
            {"test_counts", stats.test_counts},
            {info.events ? "count_mean" : "pixel_mean", stats.mean},
            {info.events ? "count_std" : "pixel_std", stats.std}};

  if (stats.recordings) {
    const RecordingStats& r = *stats.recordings;
    json["recordings"] = {{"events", to_json(r.events)},
                          {"seconds", to_json(r.seconds)},
                          {"events_per_second", r.events_per_second},
                          {"on_share", r.on_share}};
  }
  return json;
}

}  // namespace spikenm::data
