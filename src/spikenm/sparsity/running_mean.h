#pragma once

#include "spikenm/nn/state.h"

namespace spikenm::sparsity {

// The mean of about the last fifty values.
class RunningMean {
 public:
  void add(double value) {
    sum_ = kDecay * sum_ + value;
    weight_ = kDecay * weight_ + 1;
  }
  [[nodiscard]] double value() const { return weight_ > 0 ? sum_ / weight_ : 0; }

  void visit_state(nn::StateVisitor& visitor) {
    visitor.value("sum", sum_);
    visitor.value("weight", weight_);
  }

 private:
  static constexpr double kDecay = 0.98;
  double sum_ = 0, weight_ = 0;
};

}  // namespace spikenm::sparsity
