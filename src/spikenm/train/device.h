// Where a run computes, and in which type.
#pragma once

#include "spikenm/core/config.h"

#include <ATen/core/Tensor.h>

#include <string>

namespace spikenm::train {

struct Device {
  at::Device device{at::kCPU};
  at::ScalarType compute = at::kFloat;  // of activations and products on a GPU; weights are float
  std::string precision = "fp32";       // the one in use, never "auto"
  bool graphs = false;                  // record steps as CUDA graphs if possible
  bool is_missing = false;              // a GPU was asked for but is missing; `device` is the cpu
};

// Reads device (cpu, cuda, auto), cuda_graphs (true by default), deterministic and precision (fp32,
// tf32, bf16, fp16, or auto: bf16 on a GPU and fp32 elsewhere). Throws Error if a GPU is asked for
// and there is none, unless nothing will run (`may_be_missing`); auto uses a GPU if there is one.
Device read_device(const Config& config, bool may_be_missing = false);

// Works until a GPU's clock is at full speed. cuDNN times its algorithms once, when it first sees a
// layer, and keeps the fastest: on an idle GPU the choice would be random.
void wake_gpu(const at::Device& device);

// On a GPU the most memory in use so far, else the memory of the process; in bytes.
double memory_in_use(const at::Device& device);

}  // namespace spikenm::train
