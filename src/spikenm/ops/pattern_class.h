// Weights masked by one pattern per block, drawn from one logit per pattern, as a differentiable
// op. Draw and backward run on the CPU, also if the weights are on a GPU.
#pragma once

#include "spikenm/nm/grouping.h"
#include "spikenm/ops/tensor_args.h"

#include <memory>
#include <vector>

namespace spikenm::ops {

using Patterns = std::shared_ptr<const std::vector<nm::BlockBits>>;

// What one layer's draw was made with; kept until its backward.
struct PatternDraw {
  nm::BlockLayout layout;
  Patterns patterns;
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
  double tau = 1;
  Tensor keep;  // [weight's shape] 1 where kept
};

// [n_blocks] int64: the index in `patterns` that each block draws from `logits` [n_blocks,
// n_patterns] or, without noise, the index of its largest logit; the lowest of equals.
Tensor draw_patterns(const PatternDraw& draw, const Tensor& logits, bool noise = true);

// W_eff = W * keep, with the straight-through gradient on the logits and the masked gradient on the
// weight.
Tensor pattern_weight(const Tensor& weight, const Tensor& logits,
                      const std::shared_ptr<const PatternDraw>& draw);

}  // namespace spikenm::ops
