// Masked weights as differentiable ops.
#pragma once

#include "spikenm/ops/distill.h"
#include "spikenm/ops/draw_rule.h"
#include "spikenm/ops/tensor_args.h"

#include <memory>
#include <optional>
#include <vector>

namespace spikenm::ops {

// The positions that a layer's blocks keep, and the mask over its weights made of them.
struct BlockMask {
  Tensor draws;  // [n_blocks, n_draws] uint8; a position may occur twice
  Tensor keep;   // [weight's shape] 1 where kept, else 0, in the weight's type
};

// What the backward on a GPU reads. The memory stays the same, so that a recorded step finds each
// step's values there.
struct BackwardInputs {
  Tensor step_values;  // step, noise and tau, written by set_step_values
  Tensor noise;        // [n_blocks, n_draws, m]: reading it costs less than making it again
};

// What a backward does besides the gradients that were asked for. On a GPU it is the same pass.
struct BackwardAdditions {
  std::optional<Distillation> distillation;  // adds its gradient to that of the logits
  Tensor task_norm;  // running_sum of the logits' squared gradient without it; may be undefined
};

// One layer's draw, kept until its backward.
struct MaskDraw {
  DrawRule rule;
  DrawAddress address;
  DrawSoftness softness;
  at::ScalarType compute = at::kFloat;  // on a GPU: type of the effective weight
  BlockMask mask;                       // on a GPU without `keep`: the draws are enough
  BackwardInputs inputs;
  BackwardAdditions additions;
};

// Zeros for sums over a layer's blocks: the sum is all values added up. On a GPU there are many
// values, so that no block waits for another.
Tensor running_sum(int64_t n_blocks, const Tensor& like);

// Positions [n_blocks, n_draws] drawn from `logits` [n_blocks, m]; the prior reads `weight`.
Tensor draw_positions(const DrawRule& rule, const DrawAddress& address, double noise,
                      const Tensor& logits, const Tensor& weight);

// Draws into draw.mask, and prepares all that masked_weight and its backward need except the step
// values. Memory of the right size is used again, because a recorded step reads it there.
void draw_mask(MaskDraw& draw, const Tensor& logits, const Tensor& weight);

// Restores a mask from its saved positions. It does not draw: the logits have changed since the
// mask was drawn, and would give other positions. The noise is made again from the draw's address.
void restore_mask(MaskDraw& draw, const Tensor& draws, const Tensor& logits, const Tensor& weight);

// Writes the draw's step, noise and tau to where its backward on a GPU reads them.
void set_step_values(MaskDraw& draw, const Tensor& logits);

// The mask over `weight` that keeps these positions, and all weights outside blocks.
BlockMask mask_of(const nm::BlockLayout& layout, const Tensor& draws, const Tensor& weight);
// The same as bytes on the CPU, [numel].
std::vector<uint8_t> mask_bytes(const nm::BlockLayout& layout, const Tensor& draws);

// The n positions with the largest logits (and prior) of every block, as draws [n_blocks, n].
Tensor top_positions(const DrawRule& rule, int32_t n, const Tensor& logits, const Tensor& weight);

// W_eff = W * mask, with the straight-through gradient on the logits and the masked (or dense)
// gradient on the weight. On a GPU W_eff has type draw->compute, and its gradient must be float.
Tensor masked_weight(const Tensor& weight, const Tensor& logits,
                     const std::shared_ptr<const MaskDraw>& draw);

}  // namespace spikenm::ops
