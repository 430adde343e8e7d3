#include "spikenm/train/early_stop.h"

#include "spikenm/train/early_stop_keys.h"

namespace spikenm::train {

EarlyStopOptions read_early_stop_options(const Config& config) {
  EarlyStopOptions options{.patience = early_stop_key::kPatience.read(config)};
  if (options.patience > 0) {
    options.min_delta = early_stop_key::kMinDelta.read(config);
  } else {
    config.no_effect("min_delta", {"patience"});
  }
  return options;
}

bool EarlyStop::ends_with(double val_accuracy) {
  if (best_ < 0 || val_accuracy > best_ + options_.min_delta) {
    best_ = val_accuracy;
    waited_ = 0;
  } else {
    ++waited_;
  }
  return options_.patience > 0 && waited_ >= options_.patience;
}

void EarlyStop::visit_state(nn::StateVisitor& visitor) {
  visitor.value("best", best_);
  visitor.value("waited", waited_);
}

}  // namespace spikenm::train
