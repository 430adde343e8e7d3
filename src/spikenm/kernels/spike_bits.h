// Spikes as bits, the form that a backward keeps: a sixteenth of the memory of 16-bit values. Bit
// i % 8 of byte i / 8 is spike i.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

inline constexpr int64_t kSpikesPerByte = 8;

// Writes n spikes, a multiple of 8, as values 0 and 1 of type `real`.
void unpack_spikes(int64_t n, const uint8_t* bits, float* spikes);
void unpack_spikes_cuda(int64_t n, const uint8_t* bits, Real real, void* spikes, void* stream);

}  // namespace spikenm::kernels
