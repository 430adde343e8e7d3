#include "spikenm/kernels/spike_bits.h"

namespace spikenm::kernels {

void unpack_spikes(int64_t n, const uint8_t* bits, float* spikes) {
  for (int64_t i = 0; i < n; ++i) spikes[i] = static_cast<float>(bits[i / 8] >> (i % 8) & 1);
}

}  // namespace spikenm::kernels
