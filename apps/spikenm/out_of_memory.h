// What is said of memory that ran out.
#pragma once

#include "spikenm/train/memory_error.h"

#include <exception>
#include <string>

namespace spikenm::cli {

inline constexpr const char* kMemoryRemedy =
    "train.batch_size, model.T and model.width are what to lower; a smaller file needs less too";

// What to tell the user, or an empty text if `e` is another failure.
inline std::string memory_complaint(const std::exception& e) {
  if (train::is_out_of_gpu_memory(e))
    return std::string("the GPU is out of memory; ") + kMemoryRemedy;
  return train::is_out_of_memory(e) ? std::string("out of memory; ") + kMemoryRemedy
                                    : std::string();
}

}  // namespace spikenm::cli
