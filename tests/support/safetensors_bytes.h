// Makes the bytes of safetensors files whose headers our writer would not write.
#pragma once

#include "spikenm/core/json.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace spikenm::test {

inline std::string with_header(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

inline size_t header_size(const std::string& bytes) {
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return length;
}

// The same file after change(Json&) has changed its header.
template <class Change>
std::string with_changed_header(const std::string& bytes, Change&& change) {
  const size_t length = header_size(bytes);
  Json header = Json::parse(bytes.substr(8, length));
  change(header);
  return with_header(header.dump(), bytes.substr(8 + length));
}

// The same file as written by a program that does not know our checksums.
inline std::string without_sums(const std::string& bytes) {
  return with_changed_header(bytes, [](Json& header) {
    for (const char* key : {"crc32c", "crc32c.tensors"}) header["__metadata__"].erase(key);
  });
}

}  // namespace spikenm::test
