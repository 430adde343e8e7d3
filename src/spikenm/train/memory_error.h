// Errors about memory that ran out; libtorch has its own types for them.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string_view>

namespace spikenm::train {

inline bool is_out_of_gpu_memory(const std::exception& e) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&e) != nullptr ||
         std::string_view(e.what()).find("CUDA error: out of memory") != std::string_view::npos;
}

inline bool is_out_of_memory(const std::exception& e) {
  return is_out_of_gpu_memory(e) || dynamic_cast<const std::bad_alloc*>(&e) != nullptr ||
         std::string_view(e.what()).find("DefaultCPUAllocator") != std::string_view::npos;
}

}  // namespace spikenm::train
