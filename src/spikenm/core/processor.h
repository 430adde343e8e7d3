// The processor: its name and what a measurement depends on.
#pragma once

#include <string>

namespace spikenm {

// For example "AMD EPYC 9654 96-Core Processor"; "unknown" where the processor has no name to read.
std::string processor_name();

// For example "family 26, model 2, L1 48 KiB, L2 1024 KiB": processors of one name can differ by
// these. What cannot be found is left out.
std::string processor_details();

}  // namespace spikenm
