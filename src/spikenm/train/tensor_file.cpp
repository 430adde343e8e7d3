#include "spikenm/train/tensor_file.h"

#include "spikenm/ops/stream.h"
#include "spikenm/train/carry_to_cpu.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <utility>

namespace spikenm::train {
namespace {

// Whether a GPU has room for copies of its tensors beside the most that tensors held at once so far:
// a copy that took the last memory would end the run in its next step. Earlier copies that lived
// then count, so this may say no where there is room.
bool fits_beside_training(const std::vector<nn::NamedTensor>& tensors) {
  constexpr int64_t kRounding = int64_t{128} << 20;  // the allocator gives memory in large pieces
  int64_t bytes = 0;
  for (const nn::NamedTensor& t : tensors)
    if (t.tensor.is_cuda()) bytes += static_cast<int64_t>(t.tensor.nbytes());
  return bytes == 0 || bytes + kRounding <= ops::spare_memory();
}

}  // namespace

const char* file_type(at::ScalarType type) {
  static constexpr std::array<std::pair<at::ScalarType, const char*>, 5> kTypes{
      {{at::kFloat, "F32"},
       {at::kDouble, "F64"},
       {at::kByte, "U8"},
       {at::kInt, "I32"},
       {at::kLong, "I64"}}};
  const auto* const row =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& r) { return r.first == type; });
  SPIKENM_ASSERT(row != kTypes.end());
  return row->second;
}

Bytes bytes_of(const at::Tensor& tensor) {
  SPIKENM_ASSERT(tensor.is_cpu() && tensor.is_contiguous());
  return {static_cast<const uint8_t*>(tensor.const_data_ptr()), tensor.nbytes()};
}

void copy_tensors(std::vector<nn::NamedTensor>& tensors) {
  const bool fits = fits_beside_training(tensors);
  bool any_on_gpu = false;
  for (nn::NamedTensor& t : tensors) {
    try {
      t.tensor = fits || t.tensor.is_cpu() ? t.tensor.detach().clone() : t.tensor.detach().cpu();
    } catch (const c10::OutOfMemoryError&) {
      t.tensor = t.tensor.detach().cpu();
    }
    any_on_gpu = any_on_gpu || t.tensor.is_cuda();
  }
  if (any_on_gpu) ops::synchronize();
}

void move_to_cpu(std::vector<nn::NamedTensor>& tensors) {
  for (nn::NamedTensor& t : tensors)
    t.tensor = (t.tensor.is_cuda() ? carried_to_cpu(t.tensor) : t.tensor).contiguous();
}

TensorFile copy_of(TensorFile file) {
  copy_tensors(file.tensors);
  return file;
}

at::Tensor read_tensor(const SafetensorsInput& file, const StoredTensor& stored,
                       at::ScalarType type) {
  at::Tensor values = at::empty(stored.shape, type);
  file.read(stored, {static_cast<uint8_t*>(values.mutable_data_ptr()), values.nbytes()});
  return values;
}

void write_tensor_file(const std::filesystem::path& path, const TensorFile& file) {
  std::vector<at::Tensor> held;  // on the CPU, while the file is written from their memory
  std::vector<TensorView> views;
  for (const nn::NamedTensor& t : file.tensors) {
    const at::Tensor& flat = held.emplace_back(t.tensor.detach().cpu().contiguous());
    views.push_back({.name = t.name,
                     .dtype = file_type(flat.scalar_type()),
                     .shape = flat.sizes().vec(),
                     .bytes = bytes_of(flat)});
  }
  write_safetensors(path, views, file.metadata);
}

}  // namespace spikenm::train
