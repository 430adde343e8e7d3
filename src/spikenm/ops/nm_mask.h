// Masked weights as differentiable ops.
#pragma once

#include "spikenm/kernels/nm_sample.h"
#include "spikenm/ops/tensor_args.h"

#include <memory>

namespace spikenm::ops {

// What one layer's draw was made with, kept until its backward.
struct MaskDraw {
  nm::BlockLayout layout;
  Tensor keep;   // [weight's shape] 1 where kept, in the weight's type
  Tensor draws;  // [n_blocks, n_draws] uint8
  int32_t n_draws = 2;
  bool replace = true;
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
  double noise = 1, kappa = 0, tau = 1;
  kernels::OrGradient or_gradient = kernels::OrGradient::kLiteral;
  bool dense_weight_grad = false;  // straight through to every weight
};

// Draws a new mask from `logits` [n_blocks, m] into draw.draws and draw.keep; `weight` serves the
// prior.
void draw_mask(MaskDraw& draw, const Tensor& logits, const Tensor& weight);

// draw.keep from draw.draws.
void apply_draws(MaskDraw& draw, const Tensor& weight);

// The n positions with the largest logits (and prior) of every block, as draws [n_blocks, n].
Tensor top_positions(const MaskDraw& draw, int32_t n, const Tensor& logits, const Tensor& weight);

// W_eff = W * mask, with the straight-through gradient on the logits and the masked (or dense)
// gradient on the weight.
Tensor masked_weight(const Tensor& weight, const Tensor& logits,
                     const std::shared_ptr<const MaskDraw>& draw);

}  // namespace spikenm::ops
