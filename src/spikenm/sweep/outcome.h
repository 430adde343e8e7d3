// What a sweep found: its runs as CSV, as a table and as a plot.
#pragma once

#include "spikenm/report/plot.h"
#include "spikenm/report/runs.h"
#include "spikenm/sweep/spec.h"

#include <map>
#include <string>
#include <vector>

namespace spikenm::sweep {

struct MemberRun {
  size_t member;  // place in the spec
  int64_t seed;
  report::Run run;
};

// Accuracies by member, from the spec's `published` file; empty without one.
std::map<std::string, double> read_published(const Spec& spec);

// A row a run: member, seed, the swept keys, every number of the result's top level.
std::string results_csv(const Spec& spec, const std::vector<MemberRun>& runs);

// A row a group: the swept keys that its members share, and mean and spread of every number.
std::string summary_csv(const Spec& spec, const std::vector<MemberRun>& runs);

// The same for a reader.
std::string summary_table(const Spec& spec, const std::vector<MemberRun>& runs,
                          const std::map<std::string, double>& published);

// Mean and spread of the test accuracy of every group over its place.
report::Plot make_plot(const Spec& spec, const std::vector<MemberRun>& runs,
                       const std::map<std::string, double>& published);

}  // namespace spikenm::sweep
