// Layer-wise N:M: one budget of kept weights for the whole network becomes one n per layer, all
// with the same m.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/nm/grouping.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::sparsity {

struct AutoPattern {
  enum class Rule { kErk, kUniform };
  double budget = 0.25;  // kept share of all weights of the masked layers, tails included
  int m = 16;
  Rule rule = Rule::kErk;
};

// `pattern` is the key of [method]. If it is such as "auto:0.25", auto_m and auto_rule are read
// with it; if it is n:m, nothing is returned.
std::optional<AutoPattern> read_auto_pattern(const std::string& pattern, const Config& method);

struct AutoLayer {
  nm::WeightShape shape;
  int64_t tail = 0;  // weights that fill no block and are always kept
};

// Weights of masked layers whose pattern is given, and how many of them it keeps.
struct GivenLayers {
  int64_t weights = 0, kept = 0;
};

// n of every layer, 1 to m. The kept share differs from the budget by at most half a step of the
// smallest layer that has a step left. Throws an Error that begins with `what` if no choice meets
// the budget.
std::vector<int> choose_n(const AutoPattern& wanted, const std::vector<AutoLayer>& layers,
                          const GivenLayers& given, const std::string& what);

}  // namespace spikenm::sparsity
