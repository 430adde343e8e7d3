// How often a method does something in its search: every so many steps, or every share of all its
// steps, so that a short search and a long one are alike.
#pragma once

#include "spikenm/core/key.h"

#include <cstdint>
#include <string>

namespace spikenm::sparsity {

struct Interval {
  int64_t fixed = 1;     // steps
  double percent = 0;    // of the search's steps; 0: `fixed` holds
  std::string key = {};  // how messages name it

  // In a search of this many steps: max(1, round(percent · search_steps)), or `fixed`.
  [[nodiscard]] int64_t steps(int64_t search_steps) const;
  // As a config gives it: "20", or "3%".
  [[nodiscard]] std::string text() const;
};

// Reads a whole number of steps from 1, or text such as "0.6%" of more than 0 and at most 100.
Interval read_interval(const Config& config, const StepsKey& key);

}  // namespace spikenm::sparsity
