// Ends finetuning when validation has not improved for some epochs.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/nn/state.h"

namespace spikenm::train {

struct EarlyStopOptions {
  int64_t patience = 0;  // epochs without improvement after which training ends; 0: it never does
  double min_delta = 0;  // points of accuracy by which an epoch must be better to count
};

// `config` is the section [train.stop_early].
EarlyStopOptions read_early_stop_options(const Config& config);

class EarlyStop {
 public:
  explicit EarlyStop(const EarlyStopOptions& options) : options_(options) {}

  // Called after each epoch of finetuning; returns whether it was the last one.
  bool ends_with(double val_accuracy);
  void visit_state(nn::StateVisitor& visitor);

 private:
  EarlyStopOptions options_;
  double best_ = -1;
  int64_t waited_ = 0;  // epochs since the best one
};

}  // namespace spikenm::train
