// The processor's name.
#pragma once

#include <string>

namespace spikenm {

// For example "AMD EPYC 9654 96-Core Processor"; "unknown" where the processor has no name to read.
std::string processor_name();

}  // namespace spikenm
