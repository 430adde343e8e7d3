#include "spikenm/sweep/groups.h"

#include <algorithm>

namespace spikenm::sweep {

std::string build_of(const report::Run& run) {
  const auto versions = run.result.find("versions");
  if (versions == run.result.end() || !versions->is_object()) return "";
  const auto build = versions->find("build");
  return build != versions->end() && build->is_string() ? build->get<std::string>() : "";
}

std::optional<report::Statistic> Group::number(const std::string& key) const {
  std::vector<double> values;
  for (const MemberRun* r : runs)
    if (const std::optional<double> value = r->run.number(key)) values.push_back(*value);
  return report::summarize(values);
}

std::vector<Group> groups_of(const Spec& spec, const std::vector<MemberRun>& runs) {
  std::vector<Group> groups;
  for (const MemberRun& run : runs) {
    const Member& member = spec.members[run.member];
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& group) { return group.name == member.group; });
    if (found == groups.end()) {
      groups.push_back({member.group, &member, {}});
      found = groups.end() - 1;
    }
    found->runs.push_back(&run);
  }
  return groups;
}

const Group* find_group(const std::vector<Group>& groups, const std::string& name) {
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&](const Group& group) { return group.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

}  // namespace spikenm::sweep
