// Runs that differ in their seed alone, under a name that tells them from the others.
#pragma once

#include "spikenm/report/runs.h"

namespace spikenm::report {

struct RunGroup {
  std::string name;  // method and pattern, and the settings needed to tell groups apart
  std::vector<const Run*> runs;
};

// In the order of their first runs, which must outlive the groups.
std::vector<RunGroup> group_runs(const std::vector<Run>& runs);

// "spikenm 2:8"
std::string short_name(const Run& run);

// The value of a config key, such as "method.name", as text; empty when the run has none.
std::string config_text(const Run& run, const std::string& section, const std::string& key);

// "bars: ± one sample standard deviation, n = 3 runs"; `what` is "bars" or "bands". Empty when no
// group has two runs.
std::string spread_note(const std::string& what, std::vector<size_t> counts);

}  // namespace spikenm::report
