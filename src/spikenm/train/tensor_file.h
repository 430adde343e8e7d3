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

// How the file format calls a type: "F32". An assertion for types that no file of ours has.
const char* file_type(at::ScalarType type);

// The memory of a tensor that is contiguous and on the CPU.
Bytes bytes_of(const at::Tensor& tensor);

// Tensors in memory of their own: what goes on training does not change them.
TensorFile copy_of(TensorFile file);

// Writes from the tensors' own memory where they are on the CPU.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& file);

}  // namespace spikenm::train
