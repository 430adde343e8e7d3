// Random logits, weights and gradients over the blocks of a layer.
#pragma once

#include "spikenm/kernels/nm_sample.h"
#include "support/normal_values.h"

#include <vector>

namespace spikenm::test {

template <class T>
struct BlockSample {
  nm::BlockLayout layout;
  std::vector<T> logits;                    // [n_blocks, m]
  std::vector<T> weight, gradient, credit;  // in the weight's order

  explicit BlockSample(const nm::BlockLayout& of)
      : layout(of),
        logits(normal_values<T>(static_cast<size_t>(of.n_blocks * of.m), 1, 1)),
        weight(normal_values<T>(static_cast<size_t>(of.numel), 0.5, 2)),
        gradient(normal_values<T>(static_cast<size_t>(of.numel), 1, 3)),
        credit(normal_values<T>(static_cast<size_t>(of.numel), 1, 4)) {
    for (T& c : credit) c = c < 0 ? -c : c;
  }

  [[nodiscard]] kernels::DrawInputs<T> inputs(int32_t n_draws, bool replace) const {
    return {.layout = layout,
            .logits = logits.data(),
            .weight = weight.data(),
            .n_draws = n_draws,
            .replace = replace,
            .seed = 42,
            .stream = 3,
            .step = 17};
  }
};

// Every way blocks can lie: flat with a tail, flat and shared, along the input channels with a tail
// in every row, the same shared by channels, by taps and by both; the last group of a shared layer is
// not full.
inline std::vector<nm::BlockLayout> all_layouts(int m, int64_t cout) {
  const auto layout = [&](nm::WeightShape shape, int share, nm::Axis axis, bool taps = false) {
    return nm::make_layout(shape, {.n = 1, .m = m, .share = share}, axis, "test", taps);
  };
  return {layout({cout, m + 1, 3, 1}, 1, nm::Axis::kFlat),
          layout({cout, 2 * m, 3, 1}, 3, nm::Axis::kFlat),
          layout({cout, 2 * m + (m > 1), 2, 2}, 1, nm::Axis::kIn),
          layout({cout, 2 * m + (m > 1), 2, 2}, 3, nm::Axis::kIn),
          layout({cout, 2 * m + (m > 1), 2, 2}, 1, nm::Axis::kIn, true),
          layout({cout, 2 * m + (m > 1), 3, 2}, 3, nm::Axis::kIn, true)};
}

}  // namespace spikenm::test
