// Which build of the program this is.
#pragma once

#include <string>

namespace spikenm {

// The number that the linker made of the program's contents, in hexadecimal: another source,
// compiler or option gives another one. Empty if the program was linked without it.
std::string build_id();

}  // namespace spikenm
