// CRC-32C (Castagnoli): finds every flipped bit and every burst of up to 32. Against damage, not
// against an adversary.
#pragma once

#include "spikenm/core/bytes.h"

#include <cstdint>

namespace spikenm {

// `so_far`: the sum of the bytes that went before, so that long data is summed in pieces.
uint32_t crc32c(Bytes bytes, uint32_t so_far = 0);

// The same on any processor; crc32c takes an instruction where there is one.
uint32_t crc32c_by_tables(Bytes bytes, uint32_t so_far = 0);

}  // namespace spikenm
