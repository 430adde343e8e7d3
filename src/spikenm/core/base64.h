// Bytes as text (RFC 4648), for pictures inside other files.
#pragma once

#include <string>
#include <string_view>

namespace spikenm {

std::string base64(std::string_view bytes);

}  // namespace spikenm
