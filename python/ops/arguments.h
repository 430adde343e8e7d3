// What the operations of the mask search refuse: sizes that do not belong together.
#pragma once

#include "spikenm/core/error.h"
#include "spikenm/nm/grouping.h"

#include <torch/csrc/stable/tensor.h>

#include <cstdint>

namespace spikenm::python {

template <class Sizes>
nm::BlockLayout layout_of(const Sizes& shape, int64_t m, int64_t share, bool flat) {
  SPIKENM_CHECK(m >= 1 && m <= nm::NmPattern::kMaxM && share >= 1 && share <= INT32_MAX,
                "weight: found blocks of {} with share {}, wanted 1 to {}, and 1 or more", m, share,
                nm::NmPattern::kMaxM);
  const auto size = [&](size_t axis) { return shape.size() > axis ? shape[axis] : 1; };
  return nm::make_layout({size(0), size(1), size(2), size(3)},
                         {.n = 1, .m = static_cast<int>(m), .share = static_cast<int>(share)},
                         flat ? nm::Axis::kFlat : nm::Axis::kIn, "weight");
}

inline void check_logits(const torch::stable::Tensor& logits, const nm::BlockLayout& layout) {
  SPIKENM_CHECK(logits.numel() == layout.n_blocks * layout.m,
                "logits: found {}, wanted {} for the blocks of the weight", logits.numel(),
                layout.n_blocks * layout.m);
}

inline void check_draws(int64_t n_draws, const nm::BlockLayout& layout) {
  SPIKENM_CHECK(n_draws >= 1 && n_draws <= layout.m, "draws: found {} in a block, wanted 1 to {}",
                n_draws, layout.m);
}

}  // namespace spikenm::python
