#include "spikenm/train/tensor_file.h"

#include "spikenm/core/say.h"
#include "spikenm/ops/stream.h"
#include "spikenm/train/carry_to_cpu.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fmt/ranges.h>

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

void copy_tensors(std::vector<nn::NamedTensor>& tensors) {
  bool any_on_gpu = false;
  for (nn::NamedTensor& t : tensors) {
    try {
      t.tensor = t.tensor.detach().clone();
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

const StoredTensor& find_tensor(const SafetensorsInput& file, const std::string& name,
                                const char* dtype, at::IntArrayRef shape,
                                const std::string& source) {
  const StoredTensor* const stored = file.header().find(name);
  SPIKENM_CHECK(stored != nullptr, "{}: found no tensor '{}'", source, name);
  SPIKENM_CHECK(stored->dtype == dtype && stored->shape == shape.vec(),
                "{}: tensor '{}': found {} [{}], wanted {} [{}]", source, name,
                printable(stored->dtype), fmt::join(stored->shape, ","), dtype,
                fmt::join(shape.vec(), ","));
  return *stored;
}

at::Tensor read_tensor(const SafetensorsInput& file, const StoredTensor& stored,
                       at::ScalarType type) {
  at::Tensor values = at::empty(stored.shape, type);
  file.read(stored, {static_cast<uint8_t*>(values.mutable_data_ptr()), values.nbytes()});
  return values;
}

void check_trained_values(const std::string& name, const at::Tensor& values,
                          const std::string& source) {
  SPIKENM_CHECK(values.isfinite().all().item<bool>(),
                "{}: tensor '{}': found a value that is not finite", source, name);
  SPIKENM_CHECK(!name.ends_with(".running_var") || values.ge(0).all().item<bool>(),
                "{}: tensor '{}': found a negative variance", source, name);
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
