// How often a method does something in its search: every given number of steps, or every given
// share of all steps, so that a short search does it as often as a long one.
#pragma once

#include "spikenm/core/key.h"

#include <cstdint>
#include <string>

namespace spikenm::sparsity {

struct Interval {
  int64_t fixed = 1;     // steps
  double percent = 0;    // of the search's steps; 0: `fixed` is used
  std::string key = {};  // its name in messages

  // The interval in a search of this many steps: max(1, round(percent · search_steps)), or `fixed`.
  [[nodiscard]] int64_t steps(int64_t search_steps) const;
  // As written in a config: "20", or "3%".
  [[nodiscard]] std::string text() const;
};

// Reads a whole number of steps, at least 1, or text such as "0.6%", more than 0 and at most 100.
Interval read_interval(const Config& config, const StepsKey& key);
// The same with a default of a preset.
Interval read_interval(const Config& config, const StepsKey& key, const Interval& usual);

}  // namespace spikenm::sparsity
