#include "spikenm/core/processor.h"

#include <array>
#include <cstring>

#if defined(SPIKENM_X86)
#include <cpuid.h>
#endif

namespace spikenm {

std::string processor_name() {
#if defined(SPIKENM_X86)
  constexpr unsigned kFirst = 0x80000002, kLast = 0x80000004;  // the leaves that hold the name
  std::array<unsigned, 12> words{};
  for (unsigned leaf = kFirst; leaf <= kLast; ++leaf) {
    unsigned* const w = words.data() + 4 * (leaf - kFirst);
    if (__get_cpuid(leaf, &w[0], &w[1], &w[2], &w[3]) == 0) return "unknown";
  }

  std::array<char, sizeof(words) + 1> name{};
  std::memcpy(name.data(), words.data(), sizeof(words));
  const std::string found = name.data();
  const size_t begin = found.find_first_not_of(' '), end = found.find_last_not_of(' ');
  return begin == std::string::npos ? "unknown" : found.substr(begin, end - begin + 1);
#else
  return "unknown";
#endif
}

}  // namespace spikenm
