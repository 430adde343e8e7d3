// Where an operation runs, and the memory of its tensors there.
#pragma once

#include "spikenm/core/error.h"

#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/tensor.h>

#include <cstdint>
#include <optional>

namespace spikenm::python {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// The place of a tensor: a GPU and torch's stream there, or the CPU with as many of our threads as
// torch has. While it lives, that GPU is the current one.
class Place {
 public:
  explicit Place(const Tensor& tensor);

  [[nodiscard]] bool is_gpu() const { return guard_.has_value(); }
  [[nodiscard]] void* stream() const { return stream_; }

  // Memory in C order of one type, at this place.
  [[nodiscard]] float* floats(const Tensor& tensor, const char* name) const;
  [[nodiscard]] uint8_t* bytes(const Tensor& tensor, const char* name) const;

 private:
  void check(const Tensor& tensor, ScalarType type, const char* name) const;

  int32_t device_ = -1;
  std::optional<torch::stable::accelerator::DeviceGuard> guard_;
  void* stream_ = nullptr;
};

}  // namespace spikenm::python
