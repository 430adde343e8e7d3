// The runs of a sweep as rows.
#pragma once

#include "spikenm/report/runs.h"
#include "spikenm/report/statistic.h"
#include "spikenm/sweep/spec.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::sweep {

struct MemberRun {
  size_t member;  // index in the spec
  int64_t seed;
  report::Run run;
};

// The build of the program that made the run; empty for runs that did not record it.
std::string build_of(const report::Run& run);

// Runs that form one row: the seeds of a member, and members that differ only in pooled keys.
struct Group {
  std::string name;
  const Member* member;  // the first member of the group
  std::vector<const MemberRun*> runs;

  // Mean and spread of a number of the results.
  [[nodiscard]] std::optional<report::Statistic> number(const std::string& key) const;
};

// In order of first appearance. `spec` and `runs` must outlive the groups.
std::vector<Group> groups_of(const Spec& spec, const std::vector<MemberRun>& runs);

// Null if there is none of that name.
const Group* find_group(const std::vector<Group>& groups, const std::string& name);

}  // namespace spikenm::sweep
