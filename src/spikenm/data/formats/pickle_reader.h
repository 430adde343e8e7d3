// The operands that follow a pickle's opcodes.
#pragma once

#include "spikenm/core/bytes.h"
#include "spikenm/data/formats/member_name.h"

#include <algorithm>
#include <charconv>

namespace spikenm::data {

class PickleReader : public ByteReader {
 public:
  PickleReader(Bytes bytes, std::string_view source) : ByteReader(bytes, source), bytes_(bytes) {}

  // Little-endian, two's complement; a size of 0 means the value 0.
  int64_t long_integer(size_t size) {
    SPIKENM_CHECK(size <= 8, "{}: an integer of {} bytes, wanted at most 8", source(), size);
    const Bytes bytes = take(size, "an integer");
    uint64_t value = size > 0 && bytes.back() >= 0x80 ? UINT64_MAX : 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | bytes[i];
    return static_cast<int64_t>(value);
  }

  std::string_view line() {
    const std::string_view rest = as_text(bytes_.subspan(offset()));
    const size_t size = std::min(rest.find('\n'), rest.size());
    take(size + 1, "a line");
    return rest.substr(0, size);
  }

  // The number in a line; Python 2 ends a long number with an L.
  template <class T>
  T number_in(std::string_view text) const {
    if (text.ends_with('L')) text.remove_suffix(1);
    T value{};
    const auto [stop, error] = std::from_chars(text.begin(), text.end(), value);
    SPIKENM_CHECK(error == std::errc() && stop == text.end(), "{}: damaged: '{}' is no number",
                  source(), excerpt(text));
    return value;
  }

 private:
  Bytes bytes_;
};

}  // namespace spikenm::data
