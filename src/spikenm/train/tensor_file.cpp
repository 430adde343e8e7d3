#include "spikenm/train/tensor_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <utility>

namespace spikenm::train {

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

TensorFile copy_of(TensorFile file) {
  for (nn::NamedTensor& t : file.tensors) t.tensor = t.tensor.detach().clone();
  return file;
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
