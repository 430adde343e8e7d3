// The keys of [method] that pattern-class reads.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/sparsity/temperature_keys.h"

namespace spikenm::sparsity {
namespace pattern_class_key {

inline const ChoiceKey kDraws{
    "draws", "at-most", {"at-most", "exactly"}, "whether patterns with fewer than n ones count"};
inline const RealKey kLogitStd{"logit_std", 0.01, 0, kMostNumber,
                               "deviation of the logits at the start"};
inline const RealKey kLogitLr{"logit_lr", 1e-3, 0, kMostNumber, "learning rate of the logits"};
inline const RealKey kLogitEps{"logit_eps", 1e-8, 0, kMostNumber, "epsilon of the logits' Adam"};
inline const ChoiceKey kFreeze{"freeze",
                               "last",
                               {"last", "top-n"},
                               "the mask that prune keeps: the last drawn, or the most probable"};

inline KeyList all() {
  return {&kDraws, &kTauMax, &kTauMin, &kLogitStd, &kLogitLr, &kLogitEps, &kFreeze};
}

}  // namespace pattern_class_key

}  // namespace spikenm::sparsity
