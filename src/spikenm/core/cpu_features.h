// The instruction-set level that kernels are chosen for, once at start.
#pragma once

#include <string_view>
#include <vector>

namespace spikenm {

enum class Isa { kRef, kAvx2, kAvx512 };

std::string_view isa_name(Isa isa);

// All levels this processor can run, lowest first.
std::vector<Isa> supported_isas();

// The level in use: the highest supported one, or what SPIKENM_ISA=ref|avx2|avx512 asks for. An
// unknown name or a level this processor lacks is an Error.
Isa active_isa();

}  // namespace spikenm
