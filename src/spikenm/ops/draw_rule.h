// What a draw of a layer's mask depends on, besides its logits and weights.
#pragma once

#include "spikenm/nm/grouping.h"
#include "spikenm/nm/search_choices.h"

#include <cstdint>

namespace spikenm::ops {

// How a layer's masks are drawn, and how gradients pass through them.
struct DrawRule {
  nm::BlockLayout layout;
  int32_t n_draws = 2;  // per block
  bool replace = true;  // draw with replacement (at most n positions), or without (exactly n)
  double kappa = 0;     // weight of the prior: kappa * log |w| is added to the logits
  nm::OrGradient or_gradient = nm::OrGradient::kLiteral;
  bool dense_weight_grad = false;  // the gradient reaches every weight, kept or not
};

// Which random numbers a draw takes.
struct DrawAddress {
  uint64_t seed = 0;
  uint32_t stream = 0;  // the layer's number
  uint32_t step = 0;    // the draw's number
};

// How random a draw is, and how soft the relaxed draw that its gradient passes through.
struct DrawSoftness {
  double noise = 1;  // scale of the Gumbel noise
  double tau = 1;    // temperature of the softmax
};

}  // namespace spikenm::ops
