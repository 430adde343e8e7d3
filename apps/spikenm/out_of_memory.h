// Recognises errors about memory that ran out; libtorch has its own types for them.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string>

namespace spikenm::cli {

inline constexpr const char* kMemoryRemedy =
    "train.batch_size, model.T and model.width are what to lower; a smaller file needs less too";

// What to tell the user, or an empty text if `e` is another failure.
inline std::string memory_complaint(const std::exception& e) {
  const std::string what = e.what();
  const bool of_gpu = dynamic_cast<const c10::OutOfMemoryError*>(&e) != nullptr ||
                      what.find("CUDA error: out of memory") != std::string::npos;
  if (of_gpu) return std::string("the GPU is out of memory; ") + kMemoryRemedy;
  const bool of_cpu = dynamic_cast<const std::bad_alloc*>(&e) != nullptr ||
                      what.find("DefaultCPUAllocator") != std::string::npos;
  return of_cpu ? std::string("out of memory; ") + kMemoryRemedy : std::string();
}

}  // namespace spikenm::cli
