// The loops behind npy_values: they convert numbers of any numpy type to one of ours.
#pragma once

#include "spikenm/data/formats/npy.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace spikenm::data {

// Numbers that are `stride` bytes apart.
struct Strided {
  NpyType type;
  const uint8_t* begin;
  int64_t count, stride;
};

struct Half {
  uint16_t bits;
  explicit operator float() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                       : exponent < 31
                           ? std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                       : fraction == 0 ? std::numeric_limits<float>::infinity()
                                       : std::numeric_limits<float>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -size : size;
  }
};
struct Bool {
  uint8_t byte;
};

// False when T cannot hold the value.
template <class T, class Stored>
bool convert_value(Stored stored, T& out) {
  if constexpr (std::is_same_v<Stored, Bool>) {
    out = static_cast<T>(stored.byte != 0);
  } else if constexpr (std::is_same_v<Stored, Half>) {
    return convert_value(static_cast<float>(stored), out);
  } else if constexpr (std::is_integral_v<T> && std::is_floating_point_v<Stored>) {
    if (!(stored >= -0x1p63 && stored < 0x1p63)) return false;
    out = static_cast<T>(stored);
    return static_cast<Stored>(out) == stored;
  } else if constexpr (std::is_same_v<T, int64_t> && std::is_same_v<Stored, uint64_t>) {
    out = static_cast<T>(stored);
    return out >= 0;
  } else {
    out = static_cast<T>(stored);  // NOLINT(bugprone-signed-char-misuse): i1 is a number
  }
  return true;
}

template <class T, class Stored, class Word>
std::vector<T> convert(const Strided& from, std::string_view source) {
  std::vector<T> out(static_cast<size_t>(from.count));
  const auto run = [&]<bool kBig>() {
    for (size_t i = 0; i < out.size(); ++i) {
      const uint8_t* at = from.begin + static_cast<int64_t>(i) * from.stride;
      const auto stored = std::bit_cast<Stored>(kBig ? load_be<Word>(at) : load_le<Word>(at));
      if (convert_value(stored, out[i])) [[likely]]
        continue;
      double shown = 0;
      convert_value(stored, shown);
      fail("{}: value {} is {}, wanted a whole number of 64 bits", source, i, shown);
    }
  };
  from.type.big_endian ? run.template operator()<true>() : run.template operator()<false>();
  return out;
}

template <class T>
std::vector<T> convert(const Strided& from, std::string_view source) {
  const auto [kind, size, big_endian] = from.type;
  switch (kind == 'V' ? 0 : kind << 4 | static_cast<int>(size)) {
    case 'b' << 4 | 1:
      return convert<T, Bool, uint8_t>(from, source);
    case 'i' << 4 | 1:
      return convert<T, int8_t, uint8_t>(from, source);
    case 'i' << 4 | 2:
      return convert<T, int16_t, uint16_t>(from, source);
    case 'i' << 4 | 4:
      return convert<T, int32_t, uint32_t>(from, source);
    case 'i' << 4 | 8:
      return convert<T, int64_t, uint64_t>(from, source);
    case 'u' << 4 | 1:
      return convert<T, uint8_t, uint8_t>(from, source);
    case 'u' << 4 | 2:
      return convert<T, uint16_t, uint16_t>(from, source);
    case 'u' << 4 | 4:
      return convert<T, uint32_t, uint32_t>(from, source);
    case 'u' << 4 | 8:
      return convert<T, uint64_t, uint64_t>(from, source);
    case 'f' << 4 | 2:
      return convert<T, Half, uint16_t>(from, source);
    case 'f' << 4 | 4:
      return convert<T, float, uint32_t>(from, source);
    case 'f' << 4 | 8:
      return convert<T, double, uint64_t>(from, source);
    default:
      fail("{}: holds records or bytes of no type, wanted numbers", source);
  }
}

}  // namespace spikenm::data
