// The name of this machine.
#pragma once

#include <string>

namespace spikenm {

// Such as "node7"; "unknown" if it has no name.
std::string host_name();

}  // namespace spikenm
