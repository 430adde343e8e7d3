#include "spikenm/kernels/spike_bits.h"

namespace spikenm::kernels {

void unpack_spikes(int64_t n, const uint8_t* bits, float* spikes) {
  for (int64_t i = 0; i < n; ++i) spikes[i] = static_cast<float>(bits[i / 8] >> (i % 8) & 1);
}

void pack_spikes(int64_t n, const float* spikes, uint8_t* bits) {
  for (int64_t i = 0; i < n; i += 8) {
    unsigned byte = 0;
    for (int j = 0; j < 8; ++j) byte |= (spikes[i + j] != 0 ? 1u : 0u) << j;
    bits[i / 8] = static_cast<uint8_t>(byte);
  }
}

}  // namespace spikenm::kernels
