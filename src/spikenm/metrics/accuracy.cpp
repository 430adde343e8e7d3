#include "spikenm/metrics/accuracy.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace spikenm::metrics {
namespace {

// How many classes are better than the right one, [B]. "Not at most" instead of "more": NaN is
// better than a right answer, and a right answer that is NaN is worse than all.
at::Tensor rank_of_label(const at::Tensor& scores, const at::Tensor& labels) {
  const at::Tensor mean = scores.mean(0);                                   // [B,K]
  const at::Tensor column = labels.unsqueeze(1);                            // [B,1]
  const at::Tensor own = mean.gather(1, column);                            // [B,1]
  const at::Tensor classes = at::arange(mean.size(1), labels.options());    // [K]
  const at::Tensor better = mean.le(own).logical_not();                     // [B,K]
  const at::Tensor earlier = mean.eq(own).logical_and(classes.lt(column));  // [B,K]
  return better.logical_or(earlier).sum(1);
}

double percent_of(int64_t part, int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

int64_t count_correct(const at::Tensor& scores, const at::Tensor& labels) {
  return rank_of_label(scores, labels).eq(0).sum().item<int64_t>();
}

void AccuracyCounter::add(const at::Tensor& scores, const at::Tensor& labels) {
  const at::Tensor rank = rank_of_label(scores, labels).cpu(), label = labels.cpu();
  const at::Tensor winner = scores.mean(0).argmax(1).cpu();
  const int64_t* const won = winner.const_data_ptr<int64_t>();
  const int64_t* const better = rank.const_data_ptr<int64_t>();
  const int64_t* const wanted = label.const_data_ptr<int64_t>();
  class_samples_.resize(static_cast<size_t>(scores.size(2)));
  class_correct_.resize(class_samples_.size());
  confusion_.resize(class_samples_.size(), std::vector<int64_t>(class_samples_.size()));
  for (int64_t i = 0; i < rank.size(0); ++i) {
    const auto k = static_cast<size_t>(wanted[i]);
    ++samples_;
    ++class_samples_[k];
    correct_ += better[i] == 0;
    class_correct_[k] += better[i] == 0;
    in_top5_ += better[i] < 5;
    // Scores that are equal or not numbers may have another largest one than rank_of_label() says.
    const int64_t other = won[i] == wanted[i] ? (wanted[i] == 0 ? 1 : 0) : won[i];
    ++confusion_[k]
                [better[i] == 0 ? k : std::min(static_cast<size_t>(other), confusion_.size() - 1)];
  }
}

double AccuracyCounter::percent() const {
  return percent_of(correct_, samples_);
}

std::optional<double> AccuracyCounter::top5_percent() const {
  if (class_samples_.size() <= 5) return {};
  return percent_of(in_top5_, samples_);
}

std::vector<double> AccuracyCounter::class_percent() const {
  std::vector<double> result;
  for (size_t k = 0; k < class_samples_.size(); ++k)
    result.push_back(percent_of(class_correct_[k], class_samples_[k]));  // 0 / 0 is NaN
  return result;
}

}  // namespace spikenm::metrics
