#include "spikenm/data/packed_sample.h"

#include <algorithm>
#include <cmath>

namespace spikenm::data {
namespace {

// Bytes that each value needs; -0 does not fit an integer.
size_t width_of(std::span<const float> values) {
  float largest = 0;
  for (const float v : values) {
    if (!(v >= 0 && v <= 65535) || v != std::floor(v) || std::signbit(v)) return sizeof(float);
    largest = std::max(largest, v);
  }
  return largest <= 255 ? 1 : 2;
}

template <class T>
void append(std::span<const float> values, std::string& out) {
  const size_t start = out.size();
  out.resize(start + values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    const T v = static_cast<T>(values[i]);
    std::memcpy(out.data() + start + i * sizeof(T), &v, sizeof(T));
  }
}

template <class T>
void extract(const uint8_t* in, std::span<float> values) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(load_le<T>(in + i * sizeof(T)));
}

}  // namespace

std::string pack_sample(std::span<const float> values) {
  const size_t width = width_of(values);
  std::string packed;
  packed.reserve(1 + values.size() * width);
  packed.push_back(static_cast<char>(width));
  if (width == 1) append<uint8_t>(values, packed);
  if (width == 2) append<uint16_t>(values, packed);
  if (width == 4) append<float>(values, packed);
  return packed;
}

void unpack_sample(Bytes packed, std::span<float> values, std::string_view source) {
  const size_t width = packed.empty() ? 0 : packed[0];
  SPIKENM_CHECK(
      (width == 1 || width == 2 || width == 4) && packed.size() == 1 + values.size() * width,
      "{}: holds {} bytes for a sample of {} values, wanted 1, 2 or 4 bytes each", source,
      packed.size(), values.size());
  const uint8_t* const in = packed.data() + 1;
  if (width == 1) extract<uint8_t>(in, values);
  if (width == 2) extract<uint16_t>(in, values);
  if (width == 4) extract<float>(in, values);
}

}  // namespace spikenm::data
