// Drawing an N:M mask from logits, and the gradients that reach the logits. All arrays over blocks
// are [n_blocks, m] (logits) or [n_blocks, n_draws] (draws); weights are in their own memory order
// and reached through the BlockLayout.
#pragma once

#include "spikenm/core/cpu_features.h"
#include "spikenm/nm/grouping.h"

#include <cstdint>

namespace spikenm::kernels {

enum class OrGradient : int32_t { kLiteral, kSoft };
enum class CreditScale : int32_t { kRaw, kBlockMean, kLayerMean, kBlockZ };

// What a draw depends on. The values a block is drawn by are logits + kappa * log max(|w|, 1e-8);
// with a shared mask |w| is the mean over the channels that share it.
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
  uint32_t stream = 0;  // the layer
  uint32_t step = 0;    // the draw's number
};

// Fills draws [n_blocks, n_draws] with positions.
void nm_draw_ref(const DrawInputs<float>& inputs, uint8_t* draws);
void nm_draw_cpu(const DrawInputs<float>& inputs, uint8_t* draws, Isa isa = active_isa());
void nm_draw_cuda(const DrawInputs<float>& inputs, uint8_t* draws, void* stream);

// The n_draws positions with the largest values, ties to the lowest; no noise.
void nm_top_n(const DrawInputs<float>& inputs, uint8_t* draws);
void nm_top_n_cuda(const DrawInputs<float>& inputs, uint8_t* draws, void* stream);

// keep[numel] = 1 where a block drew the position, and on tails.
void nm_mask(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws, uint8_t* keep);
void nm_mask_cuda(const nm::BlockLayout& layout, int32_t n_draws, const uint8_t* draws,
                  uint8_t* keep, void* stream);

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
};

template <class T>
void nm_straight_through_ref(const StraightThrough<T>& args);
void nm_straight_through_cpu(const StraightThrough<float>& args, Isa isa = active_isa());
void nm_straight_through_cuda(const StraightThrough<float>& args, void* stream);

// Adds the gradient of the distillation loss, scale * (pi - q), to grad_logits.
template <class T>
struct Distillation {
  DrawInputs<T> draw;         // logits, weight and kappa are read
  const T* credit = nullptr;  // in the weight's order; null: q is uniform
  CreditScale credit_scale = CreditScale::kBlockMean;
  T layer_mean = 1;  // mean credit of the layer, for kLayerMean
  T tau_q = 1;
  T scale = 0;  // lambda / B
  T* grad_logits = nullptr;
};

// Gives the sum over blocks of KL(q || pi).
template <class T>
double nm_distill(const Distillation<T>& args);
// On the GPU the blocks' own KL go to kl [n_blocks].
void nm_distill_cuda(const Distillation<float>& args, float* kl, void* stream);

// A list of Philox counters to turn into Gumbel noise: word w of counter i goes to out[w * n + i].
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
