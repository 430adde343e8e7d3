// Mixup [Zhang18] and CutMix [Yun19]: every sample of a batch is mixed with a partner from the same
// batch, and its loss is share * loss(label) + (1 - share) * loss(partner's label).
#pragma once

#include "spikenm/core/plane_edit.h"
#include "spikenm/data/sample.h"

#include <cstdint>
#include <vector>

namespace spikenm::data {

// Parameters of Beta(alpha, alpha), from which a batch's share is drawn; 0: off. With both on, a
// batch uses one of the two with equal probability.
struct MixOptions {
  double mixup_alpha = 0, cutmix_alpha = 0;
};

// How one batch is mixed.
struct Mix {
  double share = 1;              // weight of a sample's own label, between 0 and 1
  std::vector<int64_t> partner;  // [B], a permutation; empty: nothing is mixed
  bool boxed = false;            // CutMix: the partner's pixels fill `box`
  Box box;

  // The same as numbers for the images, with the shares as floats.
  [[nodiscard]] MixEdit edit() const;
};

// Depends only on its arguments. For CutMix, the share is 1 minus the box's share of the plane.
Mix draw_mix(const MixOptions& options, const SampleShape& shape, int64_t B, uint64_t seed,
             int64_t epoch, int64_t batch);

// `in` and `out` are batches [T,B,C,H,W] of samples of this shape, and must not overlap.
void apply_mix(const Mix& mix, const SampleShape& shape, int64_t B, const float* in, float* out);

}  // namespace spikenm::data
