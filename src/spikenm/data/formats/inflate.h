// Deflate streams: gzip files and the packed members of zip archives. The output grows as data
// arrives, so that a false length in a file costs no memory.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/data/formats/unpack_limit.h"

#include <string>
#include <string_view>

namespace spikenm::data {

bool is_gzip(Bytes bytes);

// The content of a gzip file: all its members, joined; zero padding may follow the last. Content
// that exceeds the limit is refused.
std::string gunzip(Bytes bytes, std::string_view source, const UnpackLimit& limit);

// The content of a raw deflate stream that fills `bytes` and unpacks to exactly `size` bytes.
std::string inflate_raw(Bytes bytes, size_t size, std::string_view source);

}  // namespace spikenm::data
