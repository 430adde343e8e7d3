// MD5 sums: how dataset publishers let people check a copy. Not for secrets.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/core/input_file.h"

#include <string>

namespace spikenm {

// 32 lower-case hex digits.
std::string md5_hex(Bytes bytes);

// Of the whole file, which is read piece by piece; an interrupt ends it.
std::string md5_hex(const InputFile& file);

}  // namespace spikenm
