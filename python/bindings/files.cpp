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

std::string toml_to_json(const std::filesystem::path& path) {
  std::vector<uint8_t> bytes;
  read_bytes(path, bytes);
  return parse_toml(as_text(bytes), path.string()).dump();
}

}  // namespace

void bind_files(nb::module_& module) {
  module.def("read_tensors", &read_tensors, nb::arg("path"), nb::arg("suffix"));
  module.def("read_metadata", &read_metadata, nb::arg("path"));
  module.def("toml_to_json", &toml_to_json, nb::arg("path"));
}

}  // namespace spikenm::python
