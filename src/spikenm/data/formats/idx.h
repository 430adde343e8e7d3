// The IDX files of MNIST and similar sets: 00 00 08 n, n big-endian 32-bit sizes, the bytes.
#pragma once

#include "spikenm/core/bytes.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace spikenm::data {

struct IdxArray {
  std::vector<int64_t> shape;
  Bytes data;  // row-major; the caller's memory
};

// Accepts only unsigned bytes (type 08) and a file of exactly the size that its header gives.
IdxArray parse_idx(Bytes bytes, std::string_view source);

}  // namespace spikenm::data
