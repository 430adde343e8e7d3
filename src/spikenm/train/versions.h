// What a result is valid for. The same seed gives the same weights with any number of threads, but
// not on any machine: torch's libraries choose their code, and with it the order of their sums, by
// the processor's instruction sets and by environment variables.
#pragma once

#include "spikenm/core/json.h"

namespace spikenm::train {

// Our version, commit and build, torch's and the compiler's; the processor and the threads; the instruction sets of
// our kernels (`isa`) and of ATen's (`aten_isa`); the versions of MKL and oneDNN, which report
// nothing else; and the environment variables that those libraries read (`environment`).
Json versions();

}  // namespace spikenm::train
