#include "spikenm/kernels/pattern_class.h"

#include "spikenm/core/parallel.h"
#include "spikenm/kernels/cpu/table.h"
#include "spikenm/kernels/nm_sample.h"

#include <algorithm>
#include <vector>

namespace spikenm::kernels {

void pattern_class_draw(const PatternClassDraw& a, uint32_t* chosen) {
  const int64_t groups = (a.n_patterns + 3) / 4;
  const CpuKernels& kernels = cpu_kernels(active_isa());
  parallel_for(a.n_blocks, std::max<int64_t>(1, 4096 / groups), [&](int64_t begin, int64_t end) {
    const int64_t n = (end - begin) * groups;  // all blocks' noise at once: full vectors at any M
    std::vector<uint32_t> low(static_cast<size_t>(n)), high(static_cast<size_t>(n));
    std::vector<float> noise(static_cast<size_t>(4 * n));
    for (int64_t i = 0; i < n; ++i) {
      const auto counter = static_cast<uint64_t>(begin * groups + i);
      low[static_cast<size_t>(i)] = static_cast<uint32_t>(counter);
      high[static_cast<size_t>(i)] = static_cast<uint32_t>(counter >> 32);
    }
    kernels.gumbel_fill({.seed = a.seed,
                         .stream = a.stream,
                         .step = a.step,
                         .n = n,
                         .index_low = low.data(),
                         .index_high = high.data(),
                         .out = noise.data()});
    for (int64_t b = begin; b < end; ++b) {
      const float* const logits = a.logits + b * a.n_patterns;
      const float* const of_block = noise.data() + (b - begin) * groups;
      int64_t best = 0;
      float best_key = logits[0] + of_block[0];
      for (int64_t p = 1; p < a.n_patterns; ++p) {
        const float key = logits[p] + of_block[p % 4 * n + p / 4];
        if (key > best_key) {
          best = p;
          best_key = key;
        }
      }
      chosen[b] = static_cast<uint32_t>(best);
    }
  });
}

}  // namespace spikenm::kernels
