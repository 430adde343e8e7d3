// What a run was set to: what makes two runs one row of a table, one measurement, or one recipe.
#pragma once

#include "spikenm/report/runs.h"

#include <map>
#include <string>
#include <vector>

namespace spikenm::report {

// Dotted keys of the config and their values as text, but for the seed and for what changes no
// result: where the data lie, how they are cached, with how many threads.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const Run& run);

// What a sparse run shares with the dense runs that it is compared to: all settings outside
// [method], except the device and a length of search that no learning rate depends on.
Settings recipe_of(const Run& run);

struct DistinctRuns {
  std::vector<Run> runs;
  std::vector<std::string> repeated;  // of each that was left out, why
};

// Of runs with the same settings and seed the first alone: it was measured once.
DistinctRuns distinct_runs(std::vector<Run> runs);

// For each of several rows, "key=value, key=value" of the keys whose values are not the same in
// all: first those that tell the rows apart, then the others.
struct Difference {
  std::vector<std::string> needed;  // the shortest list that tells this row from the others
  std::vector<std::string> others;
};
std::vector<Difference> differences(const std::vector<Settings>& rows);

}  // namespace spikenm::report
