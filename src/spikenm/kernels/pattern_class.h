// The other way to draw an N:M mask: one logit per pattern, and a single Gumbel-max draw over all
// patterns. Its cost per weight grows with the number of patterns (Eq. 9). It is a control for the
// M-way draw, and the benchmark shows the growth with it.
#pragma once

#include "spikenm/nm/grouping.h"

#include <cstdint>

namespace spikenm::kernels {

struct PatternClassDraw {
  int64_t n_blocks = 0;
  int64_t n_patterns = 0;
  const float* logits = nullptr;  // [n_blocks, n_patterns]
  float noise = 1;                // scale of the Gumbel noise; 0: the largest logit wins
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
};

// chosen [n_blocks]: index of the drawn pattern in the list; the lowest of equals.
void pattern_class_draw(const PatternClassDraw& args, uint32_t* chosen);

// The straight-through gradient of a draw with noise 1: grad_logits is overwritten.
template <class T>
struct PatternClassBackward {
  nm::BlockLayout layout;
  int64_t n_patterns = 0;
  const nm::BlockBits* patterns = nullptr;  // [n_patterns]
  const T* logits = nullptr;                // [n_blocks, n_patterns], the logits of the draw
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
  T tau = 1;
  const T* weight = nullptr;
  const T* grad_effective = nullptr;  // dL/dW_eff, unmasked, in the weight's order
  T* grad_logits = nullptr;           // [n_blocks, n_patterns]
};

template <class T>
void pattern_class_backward(const PatternClassBackward<T>& args);

}  // namespace spikenm::kernels
