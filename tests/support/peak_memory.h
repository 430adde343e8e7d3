// What a test took of the machine.
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace spikenm::test {

// The most memory this process has had.
inline int64_t peak_memory_kb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace spikenm::test
