// One sample in few bytes without loss: one byte per value if all are whole numbers up to 255
// (pixels, event counts), two bytes if up to 65535, else the floats themselves.
#pragma once

#include "spikenm/core/bytes.h"

#include <span>
#include <string>

namespace spikenm::data {

// The first byte is the number of bytes per value.
std::string pack_sample(std::span<const float> values);

// Fills `values`; an Error names `source` when the bytes do not hold exactly that many.
void unpack_sample(Bytes packed, std::span<float> values, std::string_view source);

}  // namespace spikenm::data
