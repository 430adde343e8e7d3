// Every choice that the paper leaves open is one option here; docs/options.md explains them.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/nm/grouping.h"
#include "spikenm/ops/distill.h"
#include "spikenm/sparsity/interval.h"

namespace spikenm::sparsity {

enum class Freeze { kLast, kTopN, kResample };

// The loss lambda * L_EID, which pulls the mask's probabilities towards the credits.
struct EidOptions {
  double lambda = 5;
  bool mean_over_blocks = true;  // divide by the number of blocks of the network
  ops::CreditTarget target;
  bool pi_has_prior = true;  // the prior is part of the probabilities that learn

  // The factor of a block's gradient in a network of n_blocks blocks.
  [[nodiscard]] double scale(int64_t n_blocks) const {
    return lambda / (mean_over_blocks ? static_cast<double>(n_blocks) : 1.0);
  }
};

struct SpikenmOptions {
  double search_share = 0.3;  // of all epochs
  nm::Axis axis = nm::Axis::kFlat;
  bool replace = true;      // draws: at-most
  int64_t draws_start = 0;  // 0: n from the start
  nm::OrGradient or_gradient = nm::OrGradient::kLiteral;
  Interval redraw_every{.fixed = 1};
  bool regrow_from_zero = false;
  double noise_from = 1, noise_to = 1;
  double prior_kappa = 0;
  bool dense_weight_grad = false;
  ops::CreditKind credit = ops::CreditKind::kTemporal;
  EidOptions eid;
  double tau_max = 1, tau_min = 0.1;
  double logit_std = 0.01, logit_lr = 1e-3, logit_eps = 1e-8;
  bool logits_follow_schedule = true;
  Freeze freeze = Freeze::kLast;
  uint32_t freeze_draw = 0;  // which of the masks that kResample can draw

  [[nodiscard]] bool distills() const { return eid.lambda != 0; }
};

// Reads [method]: `preset` ("paper" or "default") sets the defaults of all other keys.
SpikenmOptions read_spikenm_options(const Config& config);

}  // namespace spikenm::sparsity
