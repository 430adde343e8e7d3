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
    std::vector<uint32_t> low(static_cast<size_t>(groups)), high(static_cast<size_t>(groups));
    std::vector<float> noise(static_cast<size_t>(4 * groups));
    for (int64_t b = begin; b < end; ++b) {
      for (int64_t j = 0; j < groups; ++j) {
        const auto counter = static_cast<uint64_t>(b * groups + j);
        low[static_cast<size_t>(j)] = static_cast<uint32_t>(counter);
        high[static_cast<size_t>(j)] = static_cast<uint32_t>(counter >> 32);
      }
      kernels.gumbel_fill({.seed = a.seed,
                           .stream = a.stream,
                           .step = a.step,
                           .n = groups,
                           .index_low = low.data(),
                           .index_high = high.data(),
                           .out = noise.data()});
      const float* logits = a.logits + b * a.n_patterns;
      int64_t best = 0;
      float best_key = logits[0] + noise[0];
      for (int64_t p = 1; p < a.n_patterns; ++p) {
        const float key = logits[p] + noise[static_cast<size_t>(p % 4 * groups + p / 4)];
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
