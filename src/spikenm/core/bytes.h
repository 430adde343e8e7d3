// Bytes of a file, and a reader that cannot go past their end.
#pragma once

#include "spikenm/core/error.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace spikenm {

using Bytes = std::span<const uint8_t>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

static_assert(std::endian::native == std::endian::little, "load_le copies words as they lie");

// The number stored at `at`, little-endian (le) or big-endian (be). The caller must have checked
// the length.
template <class T>
T load_le(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}
// One load and one byte swap: compilers do not make these out of a loop over the bytes.
template <class T>
T load_be(const uint8_t* at) {
  const T value = load_le<T>(at);
  if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(value));
  if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(value));
  if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(value));
  return value;
}

// Reads forward through bytes. Going past the end is an Error that names the source, the place and
// what was wanted there.
class ByteReader {
 public:
  ByteReader(Bytes bytes, std::string_view source) : bytes_(bytes), source_(source) {}

  [[nodiscard]] size_t offset() const { return offset_; }
  [[nodiscard]] size_t left() const { return bytes_.size() - offset_; }
  [[nodiscard]] bool at_end() const { return left() == 0; }
  [[nodiscard]] const std::string& source() const { return source_; }

  // The next `n` bytes; `what` names them in the message.
  Bytes take(size_t n, std::string_view what) {
    SPIKENM_CHECK(n <= left(), "{}: cut short: {} at byte {} needs {} bytes, found {}", source_,
                  what, offset_, n, left());
    const Bytes part = bytes_.subspan(offset_, n);
    offset_ += n;
    return part;
  }
  template <class T>
  T le(std::string_view what) {
    return load_le<T>(take(sizeof(T), what).data());
  }
  template <class T>
  T be(std::string_view what) {
    return load_be<T>(take(sizeof(T), what).data());
  }

 private:
  Bytes bytes_;
  size_t offset_ = 0;
  std::string source_;
};

}  // namespace spikenm
