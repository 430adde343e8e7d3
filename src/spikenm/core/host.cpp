#include "spikenm/core/host.h"

#include <unistd.h>

#include <array>

namespace spikenm {

std::string host_name() {
  std::array<char, 256>
      name{};  // the last byte stays 0: gethostname may leave a long name without one
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
  return name.data();
}

}  // namespace spikenm
