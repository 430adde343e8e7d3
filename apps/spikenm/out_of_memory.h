// What is said of memory that ran out.
#pragma once

#include <exception>
#include <new>
#include <string>

namespace spikenm::cli {

inline constexpr const char* kMemoryRemedy =
    "train.batch_size, model.T and model.width are what to lower; a smaller file needs less too";

// What to tell the user, or an empty text if `e` is another failure.
inline std::string memory_complaint(const std::exception& e) {
  if (dynamic_cast<const std::bad_alloc*>(&e) == nullptr) return {};
  std::string text = "out of memory; ";
  return text += kMemoryRemedy;
}

}  // namespace spikenm::cli
