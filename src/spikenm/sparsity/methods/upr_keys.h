// The keys of [method] that upr reads for its masks of weights. Those of neurons are beside any
// method (neuron_pruning_keys.h).
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace upr_key {

inline const RealKey kBetaMin{"mask_beta_min", 5, 1e-6, kMostNumber,
                              "steepness of the weights' gates at the start"};
inline const RealKey kBetaMax{"mask_beta_max", 1000, 1e-6, kMostNumber,
                              "the same at the end of the search, at least mask_beta_min"};
inline const RealKey kLr{"mask_lr", 1e-3, 0, kMostNumber, "learning rate of the weights' gates"};
inline const RealKey kLambda{
    "lambda_weight",        1e-11, 0, kMostNumber, "price of a connection in the loss",
    "without target_weight"};
inline const RealKey kTargetWeight{
    "target_weight",
    Varies{"none"},
    1e-6,
    1,
    "share of the weights to keep; lambda_weight is found during the search",
    "where lambda_weight is left out"};

inline KeyList all() {
  return {&kBetaMin, &kBetaMax, &kLr, &kLambda, &kTargetWeight};
}

}  // namespace upr_key

}  // namespace spikenm::sparsity
