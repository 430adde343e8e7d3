// The keys of [train.stop_early].
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
namespace early_stop_key {

inline const IntKey kPatience{
    "patience", 0, 0, 1'000'000,
    "epochs of finetune without a better validation, after which training ends; 0: it never does"};
inline const RealKey kMinDelta{
    "min_delta",    0, 0, 100, "points of accuracy by which an epoch must be better to count",
    "with patience"};

inline KeyList all() {
  return {&kPatience, &kMinDelta};
}

}  // namespace early_stop_key
}  // namespace spikenm::train
