// Where a run computes, and in which type.
#pragma once

#include "spikenm/core/config.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace spikenm::train {

struct Device {
  at::Device device{at::kCPU};
  at::ScalarType compute = at::kFloat;  // of activations and products on a GPU; weights are float
  std::string precision = "fp32";       // what is used, never "auto"
  bool graphs = false;                  // record steps as CUDA graphs where that is possible
  bool is_missing = false;              // a GPU was asked for and is not here; `device` is the cpu
};

// Reads device (cpu, cuda, auto), cuda_graphs (true unless told) and precision (fp32, tf32, bf16,
// fp16, or auto: bf16 on a GPU and fp32 elsewhere). A GPU that is asked for and not there is an
// Error, unless nothing will run (`may_be_missing`); auto takes one if there is.
Device read_device(const Config& config, bool may_be_missing = false);

// Brings a GPU's clock up. cuDNN times its algorithms once, when it first meets a layer, and keeps
// what was fastest: on a chip at rest that is chance.
void wake_gpu(const at::Device& device);

}  // namespace spikenm::train
