#include "sweep_runs.h"

#include "exit_codes.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/run_owner.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/sweep/jobs.h"

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

// The finished run in the planned folder, if it has the config and network of the plan. A run that
// is incomplete, damaged or different is trained again.
std::optional<report::Run> find_finished(const Planned& wanted) {
  try {
    report::Run run = report::read_run(wanted.folder);
    const bool same =
        run.config == wanted.config &&
        (wanted.graph.empty() || read_file(wanted.folder / RunDir::kGraph) == wanted.graph);
    return same ? std::optional(std::move(run)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

fs::path log_of(const Planned& run) {
  return run.folder.string() + ".log";
}

std::string last_line(const fs::path& file) {
  constexpr uint64_t kMostLog = 1 << 30;
  std::string text = read_file(file, kMostLog);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

// Writes the member's config into its folder, so that each run can be repeated by hand.
sweep::Job make_job(const Planned& run, const std::string& resolved, bool take_over) {
  const fs::path config = run.folder.parent_path() / "member.toml";
  make_folders(run.folder.parent_path());
  write_file_atomically(config, resolved);
  sweep::Job job{.command = {"/proc/self/exe", "train", "--config", config.string(), "--out",
                             run.folder.string(), "--force", fmt::format("seed={}", run.seed)},
                 .log = log_of(run)};
  if (take_over) job.command.emplace_back("--take-over");
  return job;
}

// Reads what a run left when it ended. Returns the reason if there is nothing to read, else an
// empty text.
std::string collect(Planned& run, int code) {
  try {
    if (code != 0)
      return fmt::format("{}: {}", code == kDiverged ? "diverged" : fmt::format("exit {}", code),
                         last_line(log_of(run)));
    run.found = report::read_run(run.folder);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

// Trains the runs that are not finished, and shares them with other processes that do the same.
class Training {
 public:
  Training(std::vector<Planned>& planned, const std::vector<Resolved>& resolved,
           const TrainAllOptions& options)
      : planned_(planned), options_(options) {
    for (Planned& run : planned) {
      if (run.found) continue;
      jobs_.push_back(make_job(run, resolved[run.member].config, options.take_over));
      open_.push_back(&run);
    }
    done_ = planned.size() - open_.size();
  }

  // Returns one line per run that failed.
  std::vector<std::string> run() {
    static_cast<void>(sweep::run_jobs(
        jobs_, static_cast<size_t>(options_.at_once),
        [&](size_t, const std::vector<size_t>& running) { show_progress(running); },
        [&](size_t job, int code) { end(*open_[job], code); },
        [&](size_t job) { return may_start(*open_[job]); }));
    read_what_others_trained();
    return failures_;
  }

 private:
  void show_progress(const std::vector<size_t>& running) {
    throw_if_interrupted(fmt::format("after {} of {} runs; the same command goes on from there",
                                     done_, planned_.size()));
    std::vector<std::string> names;
    for (const size_t job : running) names.push_back(open_[job]->name);
    line_.update("sweep", static_cast<double>(done_) / static_cast<double>(planned_.size()),
                 fmt::format("{}/{} {}", done_, planned_.size(), join(names, " ")));
  }

  // Another process may have finished the run since it was planned, or may be training it.
  bool may_start(Planned& run) const {
    run.found = find_finished(run);
    const std::optional<OwnerRecord> owner = find_owner(run.folder);
    return !run.found && (!owner || (options_.take_over && !is_on_this_host(*owner)));
  }

  // The outcome of a run, as in "2/4 lr=0.1 seed0: 84.23 %" or "2/4 lr=0.1 seed0: failed: …".
  void end(Planned& run, int code) {
    const std::optional<OwnerRecord> owner = find_owner(run.folder);
    std::string outcome;
    // train refuses a folder that another process has taken since we looked.
    if (!run.found && (code == sweep::kNotStarted || (code == kFailed && owner))) {
      left_.emplace_back(&run, owner.value_or(OwnerRecord{}));
      outcome = "left to " + describe(left_.back().second);
    } else if (!run.found) {
      const std::string failure = collect(run, code);
      if (!run.found) failures_.push_back(fmt::format("{}: {}", run.name, failure));
      outcome = "failed: " + failure;
    }
    if (run.found) outcome = fmt::format("{:.2f} %", *run.found->number("test_accuracy"));
    ++done_;
    if (line_.is_live()) return;  // the bar shows it
    say(fmt::format("{}/{} {} seed{}: {}", done_, planned_.size(),
                    run.folder.parent_path().filename().string(), run.seed, outcome));
  }

  void read_what_others_trained() {
    line_.clear();
    for (const auto& [run, owner] : left_) {
      run->found = find_finished(*run);
      if (run->found) continue;
      const bool may_be_dead = owner.pid != 0 && !is_on_this_host(owner);
      say(fmt::format(
          "note: {}: left to {}, and has no result yet; the same command shows it later{}",
          run->name, describe(owner),
          may_be_dead ? ", or trains it with --take-over if that process no longer runs" : ""));
    }
  }

  std::vector<Planned>& planned_;
  TrainAllOptions options_;
  std::vector<sweep::Job> jobs_;
  std::vector<Planned*> open_;                          // of each job
  std::vector<std::pair<Planned*, OwnerRecord>> left_;  // to other processes
  std::vector<std::string> failures_;
  size_t done_ = 0;
  ProgressLine line_;
};

}  // namespace

std::vector<Planned> plan(const sweep::Spec& spec, const std::vector<Resolved>& resolved,
                          const fs::path& out) {
  std::vector<Planned> planned;
  for (size_t m = 0; m < spec.members.size(); ++m) {
    Json config = parse_toml(resolved[m].config, spec.members[m].name);
    if (!resolved[m].graph.empty()) config["model"]["file"] = RunDir::kGraph;
    for (const int64_t seed : spec.seeds) {
      config["seed"] = seed;
      const std::string name = fmt::format("{}/seed{}", spec.members[m].name, seed);
      Planned& added = planned.emplace_back(Planned{.member = m,
                                                    .seed = seed,
                                                    .name = name,
                                                    .folder = out / name,
                                                    .config = config,
                                                    .graph = resolved[m].graph});
      added.found = find_finished(added);
    }
  }
  return planned;
}

std::vector<std::string> train_all(std::vector<Planned>& planned,
                                   const std::vector<Resolved>& resolved,
                                   const TrainAllOptions& options) {
  return Training(planned, resolved, options).run();
}

}  // namespace spikenm::cli
