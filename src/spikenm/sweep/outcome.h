// The results of a sweep: its runs as CSV, as a table and as a plot.
#pragma once

#include "spikenm/report/plot.h"
#include "spikenm/sweep/groups.h"

#include <map>
#include <string>
#include <vector>

namespace spikenm::sweep {

// Accuracies by member, from the spec's `published` file; empty without one.
std::map<std::string, double> read_published(const Spec& spec);

// One row per run: member, seed, the swept keys, a hash of its config, the program's build, every
// number of the result's top level.
std::string results_csv(const Spec& spec, const std::vector<MemberRun>& runs);

// One row per group: the swept keys that its members share, and mean and spread of every number.
std::string summary_csv(const Spec& spec, const std::vector<MemberRun>& runs);

// The same as a table for people.
std::string summary_table(const Spec& spec, const std::vector<MemberRun>& runs,
                          const std::map<std::string, double>& published);

// Mean and spread of every group, of the test accuracy or of the number that the spec names, drawn
// at its place. An Error when no run has that number.
report::Plot make_plot(const Spec& spec, const std::vector<MemberRun>& runs,
                       const std::map<std::string, double>& published);

}  // namespace spikenm::sweep
