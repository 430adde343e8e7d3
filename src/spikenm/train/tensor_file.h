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

// Copies where the tensors are, or on the CPU if a GPU has no room for them beside the most that its
// tensors held so far. They are finished when this returns, so that another thread, whose stream is
// another one, may read them.
void copy_tensors(std::vector<nn::NamedTensor>& tensors);

// Moves the tensors to the CPU one by one, each in one piece of memory, so that no more than one of
// them is in memory twice. A GPU goes on with its other work meanwhile.
void move_to_cpu(std::vector<nn::NamedTensor>& tensors);

// Reads a tensor of the file, on the CPU. `type` must be the one that file_type() calls as it does.
at::Tensor read_tensor(const SafetensorsInput& file, const StoredTensor& stored,
                       at::ScalarType type);

// Tensors on the CPU are written without a copy.
void write_tensor_file(const std::filesystem::path& path, const TensorFile& file);

}  // namespace spikenm::train
