// The settings of a run. They decide whether two runs are one row of a table, one measurement, or
// one recipe.
#pragma once

#include "spikenm/report/runs.h"

#include <map>
#include <string>
#include <vector>

namespace spikenm::report {

// Dotted keys of the config and their values as text, without the seed and without keys that change
// no result: where published data are, how they are cached, the number of threads, how often a
// checkpoint is written.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const Run& run);

// Twelve letters of the MD5 of a run's settings: runs that share it differ in the seed alone.
std::string settings_hash(const Run& run);

// The settings that a sparse run shares with the dense runs that it is compared to: all settings
// outside [method], except the device, and except the length of the search if no learning rate
// depends on it.
Settings recipe_of(const Run& run);

struct DistinctRuns {
  std::vector<Run> runs;
  std::vector<std::string> repeated;  // why, for each run that was left out
};

// Keeps only the first of several runs with the same settings and seed: they are one measurement.
DistinctRuns distinct_runs(std::vector<Run> runs);

// For one of several rows: "key=value" for the keys whose values are not the same in all rows.
struct Difference {
  std::vector<std::string> needed;  // a short list that distinguishes the rows
  std::vector<std::string> others;
};
std::vector<Difference> differences(const std::vector<Settings>& rows);

}  // namespace spikenm::report
