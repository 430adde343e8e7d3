#include "spikenm/core/base64.h"

#include <cstdint>

namespace spikenm {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < three.size() ? static_cast<uint8_t>(three[i]) : 0U);
    for (size_t digit = 0; digit < 4; ++digit)
      text += digit <= three.size() ? kDigits[bits >> (18 - 6 * digit) & 63] : '=';
  }
  return text;
}

}  // namespace spikenm
