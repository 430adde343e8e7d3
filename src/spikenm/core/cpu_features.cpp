#include "spikenm/core/cpu_features.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace spikenm {
namespace {

constexpr Isa kAll[] = {Isa::kRef, Isa::kAvx2, Isa::kAvx512};

bool cpu_has(Isa isa) {
#if defined(SPIKENM_X86)
  switch (isa) {
    case Isa::kRef:
      return true;
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::kRef;
}

Isa choose_isa() {
  const std::vector<Isa> supported = supported_isas();
  const char* asked = std::getenv("SPIKENM_ISA");
  if (asked == nullptr || *asked == '\0') return supported.back();

  const auto level = std::find_if(std::begin(kAll), std::end(kAll),
                                  [&](Isa isa) { return isa_name(isa) == asked; });
  SPIKENM_CHECK(level != std::end(kAll), "SPIKENM_ISA: found '{}', wanted ref, avx2 or avx512",
                asked);
  SPIKENM_CHECK(cpu_has(*level),
                "SPIKENM_ISA: found '{}', which this processor cannot run (best: {})", asked,
                isa_name(supported.back()));
  return *level;
}

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kRef:
      return "ref";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "?";
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> result;
  std::copy_if(std::begin(kAll), std::end(kAll), std::back_inserter(result), cpu_has);
  return result;
}

Isa active_isa() {
  static const Isa isa = choose_isa();
  return isa;
}

}  // namespace spikenm
