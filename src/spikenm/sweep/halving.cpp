#include "spikenm/sweep/halving.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <map>
#include <set>

namespace spikenm::sweep {
namespace {

constexpr const char* kValidation = "val_accuracy";

struct Rated {
  std::string group;
  double accuracy;
};

// Listed members compete at each point of the grid; without a list its points do.
std::string rivals_at(const Member& member) {
  return member.listed.empty() ? "" : member.point;
}

}  // namespace

std::vector<size_t> halving_rounds(size_t n_seeds) {
  std::vector<size_t> rounds;
  for (size_t n = 1; n < n_seeds; n *= 2) rounds.push_back(n);
  rounds.push_back(n_seeds);
  return rounds;
}

std::vector<bool> better_half(const Spec& spec, const std::vector<MemberRun>& runs,
                              const std::vector<bool>& alive, const std::string& spared) {
  std::set<std::string> kept;
  std::map<std::string, std::vector<Rated>> by_point;
  for (const Group& group : groups_of(spec, runs)) {
    const bool is_alive = alive[group.runs.front()->member];
    if (!is_alive) continue;
    if (!spared.empty() && (group.name == spared || group.member->listed == spared)) {
      kept.insert(group.name);
      continue;
    }
    const std::optional<report::Statistic> found = group.number(kValidation);
    SPIKENM_CHECK(found.has_value(),
                  "--halve: {} has no validation accuracy to be chosen by; wanted "
                  "data.val_fraction above 0",
                  group.name);
    by_point[rivals_at(*group.member)].push_back({group.name, found->mean});
  }

  for (auto& [point, rows] : by_point) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Rated& a, const Rated& b) { return a.accuracy > b.accuracy; });
    for (size_t i = 0; i < (rows.size() + 1) / 2; ++i) kept.insert(rows[i].group);
  }

  std::vector<bool> goes_on;
  for (const Member& member : spec.members) goes_on.push_back(kept.contains(member.group));
  return goes_on;
}

}  // namespace spikenm::sweep
