// Masked weights as differentiable ops.
#pragma once

#include "spikenm/kernels/nm_sample.h"
#include "spikenm/ops/tensor_args.h"

#include <functional>
#include <memory>

namespace spikenm::ops {

// What one layer's draw was made with, kept until its backward.
struct MaskDraw {
  nm::BlockLayout layout;
  Tensor
      keep;  // [weight's shape] 1 where kept, in the weight's type; draw_mask makes none on a GPU
  Tensor draws;  // [n_blocks, n_draws] uint8
  int32_t n_draws = 2;
  bool replace = true;
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
  double noise = 1, kappa = 0, tau = 1;
  kernels::OrGradient or_gradient = kernels::OrGradient::kLiteral;
  bool dense_weight_grad = false;  // straight through to every weight
  at::ScalarType compute =
      at::kFloat;  // on a GPU: of the effective weight, as its products want it
  Tensor dials;  // on a GPU: kernels::DrawDials that the backward reads, so that it can be recorded
  bool keeps_noise = false;  // on a GPU: for the backward,
  Tensor noise_kept;         // [n_blocks, n_draws, m]
  // On a GPU: makes the backward add a distillation's gradient to grad_logits in the same pass.
  std::function<kernels::Distillation<float>(const Tensor& grad_logits)> distillation;
  Tensor kl, eid_norm;  // running sums of that
  Tensor
      task_norm;  // a running_sum the backward adds the logits' squared gradient to, or undefined
};

// Zero, for sums over a layer's blocks: its values together are the sum. On a GPU they are many, so
// that nobody waits for one number.
Tensor running_sum(int64_t n_blocks, const Tensor& like);

// Draws a new mask from `logits` [n_blocks, m] into draw.draws and, on the CPU, draw.keep; `weight`
// serves the prior.
void draw_mask(MaskDraw& draw, const Tensor& logits, const Tensor& weight);

// Puts the draw's step, noise and tau where its backward reads them.
void set_dials(MaskDraw& draw, const Tensor& logits);

// draw.keep from draw.draws.
void apply_draws(MaskDraw& draw, const Tensor& weight);

// The n positions with the largest logits (and prior) of every block, as draws [n_blocks, n].
Tensor top_positions(const MaskDraw& draw, int32_t n, const Tensor& logits, const Tensor& weight);

// W_eff = W * mask, with the straight-through gradient on the logits and the masked (or dense)
// gradient on the weight. On a GPU it is of type draw->compute, and its gradient comes as float.
Tensor masked_weight(const Tensor& weight, const Tensor& logits,
                     const std::shared_ptr<const MaskDraw>& draw);

}  // namespace spikenm::ops
