// MD5 sums, which dataset publishers give so that people can check a copy. Not for secrets.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/core/input_file.h"

#include <string>

namespace spikenm {

// 32 lower-case hex digits.
std::string md5_hex(Bytes bytes);

// The sum of the whole file, which is read piece by piece; an interrupt stops the reading.
std::string md5_hex(const InputFile& file);

}  // namespace spikenm
