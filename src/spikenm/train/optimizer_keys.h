// The keys of [train] that the optimizer reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
inline const ChoiceKey kOptimizer{
    "optimizer", "adam", {"sgd", "adam", "adamw"}, "how weights follow their gradients"};
inline const RealKey kMomentum{
    "momentum", 0.9, 0, 1, "share of the last step that goes on", "with optimizer = \"sgd\""};
inline const BoolKey kNesterov{"nesterov", false, "whether the gradient is looked ahead",
                               "with optimizer = \"sgd\" and momentum > 0"};
inline const RealKey kBeta1{
    "beta1", 0.9, 0, 1, "decay of the gradient's mean", "with optimizer = \"adam\" or \"adamw\""};
inline const RealKey kBeta2{"beta2",
                            0.999,
                            0,
                            1,
                            "decay of the gradient's variance",
                            "with optimizer = \"adam\" or \"adamw\""};
inline const RealKey kEps{"eps",
                          1e-8,
                          0,
                          kMostNumber,
                          "what is added to the deviation",
                          "with optimizer = \"adam\" or \"adamw\""};
inline const RealKey kWeightDecay{
    "weight_decay", 0, 0, kMostNumber,
    "pull of weights to zero; by itself for adamw, through the gradient otherwise"};

inline KeyList optimizer_keys() {
  return {&kOptimizer, &kMomentum, &kNesterov, &kBeta1, &kBeta2, &kEps, &kWeightDecay};
}

}  // namespace spikenm::train
