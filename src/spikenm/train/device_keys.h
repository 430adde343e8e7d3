// The keys that say where a run computes, and in which type.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
inline const ChoiceKey kDevice{"device",
                               "cpu",
                               {"cpu", "cuda", "auto"},
                               "where the network runs; auto: on a GPU if there is one"};
inline const BoolKey kCudaGraphs{"cuda_graphs", true,
                                 "whether steps are recorded as CUDA graphs where that is possible",
                                 "with device = \"cuda\" or \"auto\""};
inline const BoolKey kDeterministic{"deterministic", false,
                                    "whether a GPU gives the same bits again; slower",
                                    "with device = \"cuda\" or \"auto\""};
inline const ChoiceKey kPrecision{
    "precision",
    "auto",
    {"auto", "fp32", "tf32", "bf16", "fp16"},
    "type of activations and products; auto: bf16 on a GPU, fp32 elsewhere"};

inline KeyList device_keys() {
  return {&kDevice, &kCudaGraphs, &kDeterministic, &kPrecision};
}

}  // namespace spikenm::train
