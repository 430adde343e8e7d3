// The other way to draw an N:M mask: one logit for every pattern and a single Gumbel-max draw over
// all of them. Its cost per weight grows with the number of patterns (Eq. 9); it stands beside the
// M-way draw in the benchmark to show that growth.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

struct PatternClassDraw {
  int64_t n_blocks = 0;
  int64_t n_patterns = 0;
  const float* logits = nullptr;  // [n_blocks, n_patterns]
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
};

// chosen [n_blocks]: the place of the drawn pattern in nm::enumerate_at_most.
void pattern_class_draw(const PatternClassDraw& args, uint32_t* chosen);

}  // namespace spikenm::kernels
