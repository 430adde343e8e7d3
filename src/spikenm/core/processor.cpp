#include "spikenm/core/processor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <utility>

#if defined(SPIKENM_X86)
#include <cpuid.h>
#endif

namespace spikenm {
namespace {

// "family 26, model 2": the numbers that the maker gave the design; empty where there are none.
std::string design() {
#if defined(SPIKENM_X86)
  unsigned signature = 0, rest[3];
  if (__get_cpuid(1, &signature, &rest[0], &rest[1], &rest[2]) == 0) return {};
  unsigned family = signature >> 8 & 15, model = signature >> 4 & 15;
  if (family == 6 || family == 15) model += (signature >> 16 & 15) << 4;
  if (family == 15) family += signature >> 20 & 255;
  return fmt::format("family {}, model {}", family, model);
#else
  return {};
#endif
}

}  // namespace

std::string processor_details() {
  // The last cache is left out: on a virtual machine the processor tells of more than its guest has.
  constexpr std::pair<const char*, int> kCaches[] = {{"L1", _SC_LEVEL1_DCACHE_SIZE},
                                                     {"L2", _SC_LEVEL2_CACHE_SIZE}};
  std::string text = design();
  for (const auto& [name, key] : kCaches) {
    const long bytes = ::sysconf(key);
    if (bytes > 0) text += fmt::format("{}{} {} KiB", text.empty() ? "" : ", ", name, bytes / 1024);
  }
  return text;
}

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
