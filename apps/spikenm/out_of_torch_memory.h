// What is said of memory that ran out, libtorch's own errors among them.
#pragma once

#include "out_of_memory.h"

#include "spikenm/train/memory_error.h"

namespace spikenm::cli {

// What to tell the user, or an empty text if `e` is another failure.
inline std::string torch_memory_complaint(const std::exception& e) {
  if (!train::is_out_of_memory(e)) return {};
  std::string text =
      train::is_out_of_gpu_memory(e) ? "the GPU is out of memory; " : "out of memory; ";
  return text += kMemoryRemedy;
}

}  // namespace spikenm::cli
