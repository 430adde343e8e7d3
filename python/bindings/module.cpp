// The torch-free part of the Python package. The package's own files wrap it: they check arguments,
// carry the documentation and turn JSON into dicts.
#include "bindings.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

#include <cstring>

namespace {

// A sentence may name a file whose name is not UTF-8: such bytes become what os.fsdecode makes of
// them.
void raise_error(const std::exception_ptr& raised, void* type) {
  try {
    std::rethrow_exception(raised);
  } catch (const spikenm::Error& e) {
    PyObject* const sentence = PyUnicode_DecodeUTF8(
        e.what(), static_cast<Py_ssize_t>(std::strlen(e.what())), "surrogateescape");
    if (sentence == nullptr) return;  // Python's own error is set
    PyErr_SetObject(static_cast<PyObject*>(type), sentence);
    Py_DECREF(sentence);
  }
}

}  // namespace

NB_MODULE(_core, module) {
  using namespace spikenm;
  const nanobind::exception<Error> type(module, "Error");
  nanobind::register_exception_translator(raise_error, type.ptr());  // asked before nanobind's
  module.def("threads", [] { return threads(); });
  module.attr("version") = SPIKENM_VERSION;
  python::bind_data(module);
  python::bind_files(module);
  python::bind_runtime(module);
}
