// Files of a run: models, tensors, and TOML as JSON.
#include "bindings.h"

#include "spikenm/core/bytes.h"
#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/input_file.h"
#include "spikenm/core/safetensors.h"
#include "spikenm/core/toml.h"
#include "spikenm/deploy/trained_file.h"
#include "spikenm/graph/graph_json.h"
#include "spikenm/graph/tensors.h"
#include "spikenm/runtime/snm_file.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace spikenm::python {
namespace {

// (facts as JSON, name -> array) of a model file, checked as the trainer checks it.
nb::tuple read_model(const std::filesystem::path& path) {
  const auto read = [&] {
    const nb::gil_scoped_release release;
    return deploy::read_trained(path);
  };
  deploy::TrainedFile file = read();
  deploy::Trained& trained = file.trained;
  nb::dict tensors;
  for (const graph::TensorShape& tensor : graph::tensors(trained.graph))
    tensors[tensor.name.c_str()] =
        array_of(std::move(trained.tensors.at(tensor.name)), tensor.sizes);
  const auto mask_name = [&](graph::NodeId id) { return trained.graph.node(id).name + ".mask"; };
  for (auto& [id, mask] : trained.masks) {
    const nm::WeightShape& s = trained.graph.node(id).as<graph::Synapse>()->shape;
    tensors[mask_name(id).c_str()] = array_of(std::move(mask.keep), {s.cout, s.cin, s.kh, s.kw});
  }
  for (auto& [id, keep] : trained.neuron_masks)
    tensors[mask_name(id).c_str()] = array_of(std::move(keep), trained.graph.node(id).out.sizes());

  const Json facts{{"graph", graph::graph_to_json(trained.graph)},
                   {"steps", trained.steps},
                   {"has_time", trained.input.events},
                   {"notes", file.notes}};
  return nb::make_tuple(facts.dump(), tensors);
}

// What the user should know of the file that was packed.
std::vector<std::string> export_model(const std::filesystem::path& path,
                                      const std::filesystem::path& out, const std::string& dtype) {
  const nb::gil_scoped_release release;
  deploy::PackedFile packed = deploy::pack_file(path, runtime::parse_weight_type(dtype, "dtype"));
  runtime::write_snm(out, packed.model);
  return std::move(packed.notes);
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

// The file appears whole or not at all.
void write_file(const std::filesystem::path& path, const nb::bytes& content) {
  const std::string_view text(content.c_str(), content.size());
  const nb::gil_scoped_release release;
  write_file_atomically(path, text);
}

std::string toml_to_json(const std::filesystem::path& path) {
  std::vector<uint8_t> bytes;
  read_bytes(path, bytes);
  return parse_toml(as_text(bytes), path.string()).dump();
}

}  // namespace

void bind_files(nb::module_& module) {
  module.def("read_model", &read_model, nb::arg("path"));
  module.def("export_model", &export_model, nb::arg("path"), nb::arg("out"), nb::arg("dtype"));
  module.def("write_tensors", &write_tensors, nb::arg("path"), nb::arg("tensors"));
  module.def("write_file", &write_file, nb::arg("path"), nb::arg("content"));
  module.def("toml_to_json", &toml_to_json, nb::arg("path"));
}

}  // namespace spikenm::python
