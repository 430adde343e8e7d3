// Layer-wise N:M: one budget of kept weights for the whole network becomes an n for every layer,
// all with the same m.
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

// `pattern` is what [method] gives: "auto:0.25", and auto_m and auto_rule are read with it; nothing
// when it is an n:m.
std::optional<AutoPattern> read_auto_pattern(const std::string& pattern, const Config& method);

struct AutoLayer {
  nm::WeightShape shape;
  int64_t tail = 0;  // weights that fill no block and stay
};

// Weights of masked layers whose pattern is given, and how many of them it keeps.
struct GivenLayers {
  int64_t weights = 0, kept = 0;
};

// n of every layer, 1 to m. The kept share misses the budget by half a step at most of the smallest
// layer that has one left. A budget that no choice meets is an Error that begins with `what`.
std::vector<int> choose_n(const AutoPattern& wanted, const std::vector<AutoLayer>& layers,
                          const GivenLayers& given, const std::string& what);

}  // namespace spikenm::sparsity
