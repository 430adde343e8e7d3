// How many samples a batch of scores gets right.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace spikenm::metrics {

// scores [T,B,K], labels [B]: the class with the largest mean score over time wins.
int64_t count_correct(const at::Tensor& scores, const at::Tensor& labels);

// Right answers over many batches: in all, among the five best classes, and class by class. Of
// equal scores the lower class is the better; a score that is not a number is right about nothing.
class AccuracyCounter {
 public:
  void add(const at::Tensor& scores, const at::Tensor& labels);

  [[nodiscard]] int64_t samples() const { return samples_; }
  [[nodiscard]] double percent() const;
  // None where five classes or fewer would make it 100 %.
  [[nodiscard]] std::optional<double> top5_percent() const;
  // NaN for a class without samples.
  [[nodiscard]] std::vector<double> class_percent() const;
  // How often samples of a class (row) were taken for each class (column). The diagonal is what
  // percent() counts.
  [[nodiscard]] const std::vector<std::vector<int64_t>>& confusion() const { return confusion_; }

 private:
  int64_t samples_ = 0, correct_ = 0, in_top5_ = 0;
  std::vector<int64_t> class_samples_, class_correct_;  // [K]
  std::vector<std::vector<int64_t>> confusion_;         // [K,K]
};

}  // namespace spikenm::metrics
