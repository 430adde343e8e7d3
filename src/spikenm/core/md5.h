// MD5 sums: how dataset publishers let people check a copy. Not for secrets.
#pragma once

#include "spikenm/core/bytes.h"

#include <string>

namespace spikenm {

// 32 lower-case hex digits.
std::string md5_hex(Bytes bytes);

}  // namespace spikenm
