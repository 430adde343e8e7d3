// The tables of spike_picks.h, and how they are made. Kernels see them through view() alone: what they
// include has no standard library (docs/architecture.md).
#pragma once

#include "spikenm/kernels/spike_picks.h"

#include <vector>

namespace spikenm::kernels {

struct PickTables {
  int64_t words_of_unit = 8;  // 8, 4, 2 or 1
  std::vector<PickPart> parts;
  std::vector<PickUnit> units;
  std::vector<PickPlaces> places;  // [blocks, units]

  // Good as long as the tables.
  [[nodiscard]] SpikePicks view() const {
    return {.words_of_unit = words_of_unit,
            .count = static_cast<int64_t>(units.size()),
            .parts = parts.data(),
            .units = units.data(),
            .places = places.data()};
  }
};

// `rows` has `keep` of `blocks` blocks.
PickTables make_picks(const LayerWindow& window, int64_t words, int64_t blocks,
                      const LayerRows& rows);

}  // namespace spikenm::kernels
