#include "spikenm/runtime/synapse_bits.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <bit>

namespace spikenm::runtime {
namespace {

bool is_zero(Bytes value) {
  return std::all_of(value.begin(), value.end(), [](uint8_t byte) { return byte == 0; });
}

}  // namespace

int64_t count_bit_weights(const SynapseTensor& tensor) {
  const size_t item = value_bytes(tensor.type);
  const Bytes whole = tensor.values;
  int64_t count = 0;
  for (size_t at = 0; at < whole.size(); at += item)
    count += is_zero(whole.subspan(at, item)) ? 0 : 1;
  return count;
}

void check_last_bits(Bytes bits, size_t count, const std::string& what, std::string_view of) {
  SPIKENM_CHECK(count % 8 == 0 || bits[count / 8] >> count % 8 == 0,
                "{}: found a bit behind its {} {}, wanted zeros", what, count, of);
}

BitWeights to_bit_weights(const SynapseTensor& tensor) {
  SPIKENM_ASSERT(!tensor.rule);
  const size_t item = value_bytes(tensor.type), count = tensor.values.size() / item;
  const Bytes whole = tensor.values;
  BitWeights packed;
  packed.bits.resize((count + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    const Bytes value = whole.subspan(i * item, item);
    if (is_zero(value)) continue;
    packed.bits[i / 8] = static_cast<uint8_t>(packed.bits[i / 8] | 1u << i % 8);
    packed.values.insert(packed.values.end(), value.begin(), value.end());
  }
  return packed;
}

std::vector<uint8_t> from_bit_weights(Bytes bits, Bytes values, const nm::WeightShape& shape,
                                      WeightType type, const std::string& what) {
  const auto count = static_cast<size_t>(shape.numel());
  const size_t item = value_bytes(type);
  SPIKENM_ASSERT(bits.size() == (count + 7) / 8);
  size_t ones = 0;
  for (const uint8_t byte : bits) ones += static_cast<size_t>(std::popcount(byte));
  check_last_bits(bits, count, what, "weights");
  SPIKENM_CHECK(values.size() == ones * item, "{}: found {} bytes of values, wanted {} for {} bits",
                what, values.size(), ones * item, ones);

  std::vector<uint8_t> whole(count * item);
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    if ((bits[i / 8] >> i % 8 & 1) == 0) continue;
    const Bytes value = values.subspan(at, item);
    SPIKENM_CHECK(!is_zero(value), "{}: found the value 0 at weight {}, wanted no bit for it", what,
                  i);
    std::copy(value.begin(), value.end(), whole.begin() + static_cast<std::ptrdiff_t>(i * item));
    at += item;
  }
  return whole;
}

}  // namespace spikenm::runtime
