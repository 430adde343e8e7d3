// The torch-free part of the Python package. The package's own files wrap it: they check arguments,
// carry the documentation and turn JSON into dicts.
#include "bindings.h"

#include "spikenm/core/error.h"
#include "spikenm/core/parallel.h"

NB_MODULE(_core, module) {
  using namespace spikenm;
  nanobind::exception<Error>(module, "Error");
  module.def("threads", [] { return threads(); });
  module.attr("version") = SPIKENM_VERSION;
  python::bind_data(module);
  python::bind_files(module);
  python::bind_runtime(module);
}
