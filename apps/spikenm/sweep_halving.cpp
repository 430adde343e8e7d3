#include "sweep_halving.h"

#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/sweep/halving.h"

#include <algorithm>
#include <set>

namespace spikenm::cli {
namespace {

std::vector<sweep::MemberRun> finished(const std::vector<Planned>& planned,
                                       const std::set<int64_t>& seeds) {
  std::vector<sweep::MemberRun> runs;
  for (const Planned& run : planned)
    if (run.found && seeds.contains(run.seed)) runs.push_back({run.member, run.seed, *run.found});
  return runs;
}

void say_dropped(const sweep::Spec& spec, const std::vector<bool>& before,
                 const std::vector<bool>& after, size_t n_seeds) {
  std::vector<std::string> names;
  for (size_t m = 0; m < before.size(); ++m)
    if (before[m] && !after[m]) names.push_back(spec.members[m].name);
  if (names.empty()) return;
  say(fmt::format("note: dropped by validation after {} seed{}: {}", n_seeds,
                  n_seeds == 1 ? "" : "s", join(names, " ")));
}

// A run that another process trains has no result yet, and what goes on cannot be chosen without it.
void check_all_ended(const std::vector<Planned>& round, const std::vector<std::string>& failed) {
  for (const Planned& run : round) {
    const bool has_failed = std::any_of(failed.begin(), failed.end(), [&](const std::string& line) {
      return line.starts_with(run.name + ":");
    });
    SPIKENM_CHECK(run.found || has_failed,
                  "--halve: {} is left to another process, and what goes on cannot be chosen "
                  "without its result; the same command goes on when it has ended",
                  run.name);
  }
}

}  // namespace

std::vector<std::string> train_halving(const sweep::Spec& spec, std::vector<Planned>& planned,
                                       const std::vector<Resolved>& resolved,
                                       const TrainAllOptions& options, const std::string& spared) {
  std::vector<std::string> failures;
  std::vector<bool> alive(spec.members.size(), true);
  for (const size_t n_seeds : sweep::halving_rounds(spec.seeds.size())) {
    const std::set<int64_t> seeds(spec.seeds.begin(),
                                  spec.seeds.begin() + static_cast<std::ptrdiff_t>(n_seeds));
    std::vector<Planned> round;
    for (const Planned& run : planned)
      if (alive[run.member] && seeds.contains(run.seed)) round.push_back(run);

    const std::vector<std::string> failed = train_all(round, resolved, options);
    failures.insert(failures.end(), failed.begin(), failed.end());
    for (const Planned& run : round) {
      const auto place = std::find_if(planned.begin(), planned.end(),
                                      [&](const Planned& p) { return p.name == run.name; });
      place->found = run.found;
    }
    if (n_seeds == spec.seeds.size()) break;
    check_all_ended(round, failed);

    const std::vector<bool> better =
        sweep::better_half(spec, finished(planned, seeds), alive, spared);
    say_dropped(spec, alive, better, n_seeds);
    alive = better;
  }
  return failures;
}

}  // namespace spikenm::cli
