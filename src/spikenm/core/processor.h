// What the processor calls itself.
#pragma once

#include <string>

namespace spikenm {

// "AMD EPYC 9654 96-Core Processor", say; "unknown" where there is nobody to ask.
std::string processor_name();

}  // namespace spikenm
