// The Gumbel noise of a range of blocks; the vector kernel makes it for many counters at a time.
// Counter i of the table belongs to (block, draw k, word group j), j fastest; its word w is at
// w * n + i.
#pragma once

#include "spikenm/kernels/cpu/table.h"
#include "spikenm/kernels/math/gumbel.h"
#include "spikenm/kernels/nm_sample.h"

#include <algorithm>
#include <vector>

namespace spikenm::kernels {

class NoiseTable {
 public:
  // Noise for blocks [begin, end) of a draw.
  template <class T>
  NoiseTable(const DrawInputs<T>& in, int64_t begin, int64_t end, const CpuKernels& kernels)
      : begin_(begin),
        groups_((in.layout.m + 3) / 4),
        per_block_(static_cast<int64_t>(in.n_draws) * groups_),
        n_((end - begin) * per_block_),
        noise_(static_cast<size_t>(4 * n_)) {
    std::vector<uint32_t> low(static_cast<size_t>(n_)), high(static_cast<size_t>(n_));
    size_t i = 0;
    for (int64_t b = begin; b < end; ++b) {
      // A block's counters are consecutive.
      const uint64_t first = gumbel_counter(b, 0, 0, in.layout.m);
      for (int64_t r = 0; r < per_block_; ++r, ++i) {
        const uint64_t counter = first + static_cast<uint64_t>(r);
        low[i] = static_cast<uint32_t>(counter);
        high[i] = static_cast<uint32_t>(counter >> 32);
      }
    }

    kernels.gumbel_fill({.seed = in.seed,
                         .stream = in.stream,
                         .step = in.step,
                         .n = n_,
                         .index_low = low.data(),
                         .index_high = high.data(),
                         .out = noise_.data()});
  }

  [[nodiscard]] float at(int64_t b, int32_t k, int32_t s) const {
    return noise_[static_cast<size_t>((s % 4) * n_ + (b - begin_) * per_block_ + k * groups_ +
                                      s / 4)];
  }

  // Number of blocks whose noise takes about 4 Ki counters, so that it stays in the nearest caches.
  template <class T>
  static int64_t blocks_per_chunk(const DrawInputs<T>& in) {
    const int64_t per_block = static_cast<int64_t>(in.n_draws) * ((in.layout.m + 3) / 4);
    return std::max<int64_t>(1, 4096 / std::max<int64_t>(1, per_block));
  }

 private:
  int64_t begin_, groups_, per_block_, n_;
  std::vector<float> noise_;
};

}  // namespace spikenm::kernels
