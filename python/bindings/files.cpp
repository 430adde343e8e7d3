// Files of a run: tensors, and TOML as JSON.
#include "bindings.h"

#include "spikenm/core/bytes.h"
#include "spikenm/core/error.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/core/toml.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <cstring>

namespace spikenm::python {
namespace {

template <class T>
nb::object as_array(const SafetensorsInput& file, const StoredTensor& tensor) {
  const std::vector<uint8_t> bytes = file.bytes(tensor);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return nb::cast(array_of(std::move(values), tensor.shape));
}

nb::object read_tensor(const SafetensorsInput& file, const StoredTensor& tensor,
                       const std::string& source) {
  if (tensor.dtype == "F32") return as_array<float>(file, tensor);
  if (tensor.dtype == "F64") return as_array<double>(file, tensor);
  if (tensor.dtype == "I64") return as_array<int64_t>(file, tensor);
  if (tensor.dtype == "U8") return as_array<uint8_t>(file, tensor);
  fail("{}: tensor '{}': found values of type {}, wanted F32, F64, I64 or U8", source, tensor.name,
       tensor.dtype);
}

// Tensors whose names end in `suffix`.
nb::dict read_tensors(const std::filesystem::path& path, const std::string& suffix) {
  const SafetensorsInput file(path);
  nb::dict tensors;
  for (const StoredTensor& tensor : file.header().tensors)
    if (tensor.name.ends_with(suffix))
      tensors[tensor.name.c_str()] = read_tensor(file, tensor, path.string());
  return tensors;
}

nb::dict read_metadata(const std::filesystem::path& path) {
  const SafetensorsInput file(path);
  nb::dict metadata;
  for (const auto& [key, value] : file.header().metadata)
    metadata[key.c_str()] = nb::str(value.c_str(), value.size());
  return metadata;
}

std::string dtype_of(const std::string& name, const nb::ndarray<>& array) {
  if (array.dtype() == nb::dtype<float>()) return "F32";
  if (array.dtype() == nb::dtype<double>()) return "F64";
  if (array.dtype() == nb::dtype<int64_t>()) return "I64";
  if (array.dtype() == nb::dtype<uint8_t>()) return "U8";
  fail("tensor '{}': found values of another type, wanted float32, float64, int64 or uint8", name);
}

void write_tensors(const std::filesystem::path& path, const nb::dict& tensors) {
  std::vector<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>> arrays;
  std::vector<TensorView> views;
  for (const auto& [key, value] : tensors) {
    arrays.push_back(nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(value));
    const auto& array = arrays.back();
    TensorView view{.name = nb::cast<std::string>(key)};
    view.dtype = dtype_of(view.name, nb::ndarray<>(array));
    for (size_t axis = 0; axis < array.ndim(); ++axis)
      view.shape.push_back(static_cast<int64_t>(array.shape(axis)));
    view.bytes = {static_cast<const uint8_t*>(array.data()), array.nbytes()};
    views.push_back(std::move(view));
  }
  write_safetensors(path, views, {});
}

std::string toml_to_json(const std::filesystem::path& path) {
  std::vector<uint8_t> bytes;
  read_bytes(path, bytes);
  return parse_toml(as_text(bytes), path.string()).dump();
}

}  // namespace

void bind_files(nb::module_& module) {
  module.def("read_tensors", &read_tensors, nb::arg("path"), nb::arg("suffix"));
  module.def("write_tensors", &write_tensors, nb::arg("path"), nb::arg("tensors"));
  module.def("read_metadata", &read_metadata, nb::arg("path"));
  module.def("toml_to_json", &toml_to_json, nb::arg("path"));
}

}  // namespace spikenm::python
