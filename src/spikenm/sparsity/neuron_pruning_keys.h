// The keys of [method] that neuron masks read.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
inline const ChoiceKey kGranularity{"granularity",
                                    "weight",
                                    {"weight", "weight+neuron", "neuron"},
                                    "what is pruned; neuron: with the methods dense and upr alone"};
inline const RealKey kBetaMin{"beta_min",
                              5,
                              1e-6,
                              kMostNumber,
                              "steepness of the neurons' gates at the start",
                              "with granularity other than weight"};
inline const RealKey kBetaMax{"beta_max",
                              1000,
                              1e-6,
                              kMostNumber,
                              "the same at the end of the search, at least beta_min",
                              "with granularity other than weight"};
inline const RealKey kNeuronLr{"neuron_lr",
                               1e-3,
                               0,
                               kMostNumber,
                               "learning rate of the gates",
                               "with granularity other than weight"};
inline const RealKey kLambdaNeuron{"lambda_neuron",
                                   1e-11,
                                   0,
                                   kMostNumber,
                                   "price of a connection in the loss",
                                   "with granularity other than weight and no target_conn"};
inline const RealKey kTargetConn{
    "target_conn",
    Varies{"none"},
    0,
    1,
    "share of connections to keep; lambda_neuron is found during the search",
    "with granularity other than weight"};

inline KeyList neuron_pruning_keys() {
  return {&kGranularity, &kBetaMin, &kBetaMax, &kNeuronLr, &kLambdaNeuron, &kTargetConn};
}

}  // namespace spikenm::sparsity
