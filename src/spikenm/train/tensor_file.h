// Named tensors and metadata, written as a safetensors file.
#pragma once

#include "spikenm/core/safetensors.h"
#include "spikenm/nn/network.h"

#include <filesystem>
#include <vector>

namespace spikenm::train {

struct TensorFile {
  std::vector<nn::NamedTensor> tensors;
  Metadata metadata;
};

// The name of a type in the file format: "F32". Types that our files never hold fail an assertion.
const char* file_type(at::ScalarType type);

// The memory of a tensor that is contiguous and on the CPU.
Bytes bytes_of(const at::Tensor& tensor);

// A copy whose tensors have their own memory, so that training does not change them.
TensorFile copy_of(TensorFile file);

// Tensors on the CPU are written without a copy.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& file);

}  // namespace spikenm::train
