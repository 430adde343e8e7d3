// Draws an N:M mask from logits, and computes the gradients of the logits. Arrays over blocks are
// [n_blocks, m] (logits) or [n_blocks, n_draws] (draws); weights stay in their own memory order and
// are found through the BlockLayout.
#pragma once

#include "spikenm/core/cpu_features.h"
#include "spikenm/kernels/real.h"
#include "spikenm/nm/grouping.h"
#include "spikenm/nm/search_choices.h"

#include <cstdint>

namespace spikenm::kernels {

using nm::CreditScale;
using nm::OrGradient;

// What a draw depends on. A block is drawn by the values logits + kappa * log max(|w|, 1e-8); with
// a shared mask |w| is the mean over the weight blocks that share it.
template <class T>
struct DrawInputs {
  nm::BlockLayout layout;
  const T* logits = nullptr;
  const T* weight = nullptr;  // read only where kappa is not 0
  T kappa = 0;
  T noise = 1;  // scale of the Gumbel noise
  int32_t n_draws = 2;
  bool replace = true;  // draw with replacement (at most n), or without (exactly n)
  uint64_t seed = 0;
  uint32_t stream = 0;  // the layer's number
  uint32_t step = 0;    // the draw's number
};

// Fills draws [n_blocks, n_draws] with positions.
void nm_draw_ref(const DrawInputs<float>& inputs, uint8_t* draws);
void nm_draw_cpu(const DrawInputs<float>& inputs, uint8_t* draws, Isa isa = active_isa());
// On a GPU the noise can be kept, [n_blocks, n_draws, m], or `noise` is null: reading the noise
// again costs the backward less than making it again.
void nm_draw_cuda(const DrawInputs<float>& inputs, uint8_t* draws, float* noise, void* stream);

// The n_draws positions with the largest values, the lowest of equals; no noise.
void nm_top_n(const DrawInputs<float>& inputs, uint8_t* draws);
void nm_top_n_cuda(const DrawInputs<float>& inputs, uint8_t* draws, void* stream);

// keep [numel] = 1 where a block drew the position and on tails, else 0.
void nm_mask(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep);
void nm_mask_cuda(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws,
                  uint8_t* keep, void* stream);

// masked = values where the block drew the position and on tails, else 0. `masked` is of type
// `real`; if that is float, it may be `values`.
void nm_apply_cuda(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws,
                   const float* values, Real real, void* masked, void* stream);

// Values that change from step to step, in GPU memory, where a recorded step reads them.
struct StepValues {
  uint32_t step = 0;
  float noise = 1, tau = 1;
};
void set_step_values_cuda(const StepValues& values, StepValues* step_values, void* stream);

// Straight-through backward: grad_logits [n_blocks, m] is overwritten.
template <class T>
struct StraightThrough {
  DrawInputs<T> draw;
  const uint8_t* draws = nullptr;
  const T* weight = nullptr;
  const T* grad_effective = nullptr;  // dL/dW_eff, unmasked, in the weight's order
  T tau = 1;
  OrGradient or_gradient = OrGradient::kLiteral;
  T* grad_logits = nullptr;
  // On a GPU: replaces draw.step, draw.noise and tau; or null.
  const StepValues* step_values = nullptr;
  const float* noise = nullptr;  // on a GPU: the noise that the draw kept, or null
};

template <class T>
void nm_straight_through_ref(const StraightThrough<T>& args);
void nm_straight_through_cpu(const StraightThrough<float>& args, Isa isa = active_isa());

// Adds the gradient of the distillation loss, scale * (pi - q), to grad_logits.
template <class T>
struct Distillation {
  DrawInputs<T> draw;         // logits, weight and kappa are read
  const T* credit = nullptr;  // in the weight's order; null: q is uniform
  bool times_weight = false;  // a credit is multiplied by its |w|
  bool pi_has_prior = true;   // pi is of the values that are drawn by, or of the logits alone
  CreditScale credit_scale = CreditScale::kBlockMean;
  T layer_mean = 1;  // mean credit of the layer, for kLayerMean
  T tau_q = 1;
  T scale = 0;  // lambda / B
  T* grad_logits = nullptr;
};

// Sums over blocks.
struct DistillSums {
  double kl = 0;            // KL(q || pi)
  double squared_norm = 0;  // of the gradient that was added
};

template <class T>
DistillSums nm_distill(const Distillation<T>& args);
// On a GPU each sum is cut into nm_parts() parts; the kernel adds to them.
void nm_distill_cuda(const Distillation<float>& args, float* kl, float* norm, void* stream);

// The straight-through backward on a GPU: everything that follows from dL/dW_eff, in one pass over
// the weights.
struct SearchBackward {
  StraightThrough<float> straight;
  float* task_norm = nullptr;    // squared norm of the straight-through gradient, in parts
  float* grad_weight = nullptr;  // dL/dW_eff masked; may be grad_effective, or null
  bool distils = false;          // whether `distillation` is added to the same gradient
  Distillation<float> distillation;
  float *kl = nullptr, *eid_norm = nullptr;  // as in nm_distill_cuda
};
void nm_straight_through_cuda(const SearchBackward& args, void* stream);

// Number of parts that the GPU's sums over blocks are cut into; the caller adds them up.
int64_t nm_parts(int64_t n_blocks);

// Philox counters to turn into Gumbel noise: word w of counter i goes to out[w * n + i].
struct GumbelFill {
  uint64_t seed = 0;
  uint32_t stream = 0, step = 0;
  int64_t n = 0;
  const uint32_t* index_low = nullptr;
  const uint32_t* index_high = nullptr;
  float* out = nullptr;
};

void gumbel_fill_ref(const GumbelFill& args);

}  // namespace spikenm::kernels
