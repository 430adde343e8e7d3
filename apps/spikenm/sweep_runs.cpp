#include "sweep_runs.h"

#include "exit_codes.h"
#include "this_command.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/live_lines.h"
#include "spikenm/core/run_owner.h"
#include "spikenm/core/say.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/sweep/epoch_news.h"
#include "spikenm/sweep/jobs.h"

#include <csignal>

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

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

fs::path config_of(const Planned& run) {
  return run.folder.parent_path() / "member.toml";
}

// A run that was stopped goes on. One that differs, or whose result cannot be read, is replaced.
sweep::Job make_job(const Planned& run, const TrainAllOptions& options) {
  const bool replaces = run.is_spoilt || (options.force && !run.difference.empty());
  sweep::Job job{.command = {"/proc/self/exe", "train", "--config", config_of(run).string(),
                             "--out", run.folder.string(), replaces ? "--force" : "--resume=auto",
                             fmt::format("seed={}", run.seed)},
                 .log = log_of(run),
                 .keeps_log = run.goes_on};
  if (options.take_over) job.command.emplace_back("--take-over");
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

// Whether another attempt may help: not if the user has stopped the run, nor if it diverged, since
// it would repeat the same steps.
bool may_help(int code) {
  return code != 0 && code != kDiverged && code != 128 + SIGINT && code != 128 + SIGTERM &&
         code != 128 + SIGHUP;
}

// A run that is not finished.
struct OpenRun {
  Planned* run;
  sweep::EpochNews news;
  std::string last = "starting";  // the newest of its news
  int64_t retries = 0;
};

// Trains the runs that are not finished, and shares them with other processes that do the same.
class Training {
 public:
  Training(std::vector<Planned>& planned, const std::vector<Resolved>& resolved,
           const TrainAllOptions& options)
      : planned_(planned), options_(options) {
    if (!options.force) refuse_other_runs(planned);
    for (Planned& run : planned) {
      if (run.found) continue;
      // The member's config lies in its folder, so that each run can be repeated by hand.
      make_folders(run.folder.parent_path());
      write_file_atomically(config_of(run), resolved[run.member].config);
      jobs_.push_back(make_job(run, options));
      open_.push_back({&run, sweep::EpochNews(log_of(run), 0)});
    }
    done_ = planned.size() - open_.size();
  }

  // Returns one line per run that failed.
  std::vector<std::string> run() {
    static_cast<void>(sweep::run_jobs(
        jobs_, static_cast<size_t>(options_.at_once),
        {.watch = [&](size_t, const std::vector<size_t>& running) { watch(running); },
         .ended = [&](size_t job, int code) { return end(open_[job], code); },
         .may_start = [&](size_t index,
                          sweep::Job& job) { return may_start(open_[index], job); }}));
    read_what_others_trained();
    return failures_;
  }

 private:
  void watch(const std::vector<size_t>& running) {
    stop_if_interrupted(running.size());
    if (since_news_.seconds() < 0.1) return;
    since_news_ = {};
    std::vector<std::string> lines{fmt::format("sweep {}/{}", done_, planned_.size())};
    for (const size_t job : running) {
      tell_news(open_[job]);
      lines.push_back(fmt::format("  {}: {}", label(*open_[job].run), open_[job].last));
    }
    lines_.update(lines);
  }

  void stop_if_interrupted(size_t running) {
    try {
      throw_if_interrupted(
          fmt::format("after {} of {} runs; go on with: {}", done_, planned_.size(), command_));
    } catch (const Interrupted&) {
      lines_.clear();
      say(
          fmt::format("sweep: {} running; each now finishes its step and saves its state (the same "
                      "signal again ends them at once)",
                      running));
      throw;
    }
  }

  // On a terminal the newest is shown while the run trains.
  void tell_news(OpenRun& open) {
    for (const std::string& news : open.news.next()) {
      if (!lines_.is_live()) say(fmt::format("{}: {}", label(*open.run), news));
      open.last = news;
    }
  }

  // Another process may have finished the run since it was planned, or may be training it.
  bool may_start(OpenRun& open, sweep::Job& job) {
    Planned& run = *open.run;
    look_into(run);
    const std::optional<OwnerRecord> owner = find_owner(run.folder);
    if (run.found || (owner && !(options_.take_over && !is_on_this_host(*owner)))) return false;
    job = make_job(run, options_);
    job.keeps_log = job.keeps_log || open.retries > 0;
    std::error_code error;
    const uint64_t size = job.keeps_log ? fs::file_size(job.log, error) : 0;
    open.news = sweep::EpochNews(job.log, error ? 0 : size);
    open.last = "starting";
    return true;
  }

  // Says the outcome of a run, as in "2/4 lr=0.1 seed0: 84.23 %" or "2/4 lr=0.1 seed0: failed: …".
  // Returns whether to start it again.
  bool end(OpenRun& open, int code) {
    Planned& run = *open.run;
    if (code != sweep::kNotStarted) tell_news(open);
    const std::optional<OwnerRecord> owner = find_owner(run.folder);
    std::string outcome;
    // train refuses a folder that another process has taken since we looked.
    if (!run.found && (code == sweep::kNotStarted || (code == kFailed && owner))) {
      left_.emplace_back(&run, owner.value_or(OwnerRecord{}));
      outcome = "left to " + describe(left_.back().second);
    } else if (!run.found) {
      const std::string failure = collect(run, code);
      if (!run.found && may_help(code) && open.retries < options_.retry) {
        ++open.retries;
        tell(fmt::format("{}: failed: {}; tries again, {} of {}", label(run), failure, open.retries,
                         options_.retry));
        return true;
      }
      if (!run.found) failures_.push_back(fmt::format("{}: {}", run.name, failure));
      outcome = "failed: " + failure;
    }

    if (run.found) outcome = fmt::format("{:.2f} %", *run.found->number("test_accuracy"));
    ++done_;
    tell(fmt::format("{}/{} {}: {}", done_, planned_.size(), label(run), outcome));
    return false;
  }

  void tell(const std::string& line) {
    lines_.clear();
    say(line);
  }

  static std::string label(const Planned& run) {
    return fmt::format("{} seed{}", run.folder.parent_path().filename().string(), run.seed);
  }

  void read_what_others_trained() {
    lines_.clear();
    for (const auto& [run, owner] : left_) {
      look_into(*run);
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
  const std::string command_ = this_command();  // read now, since an interrupt stops all reading
  std::vector<sweep::Job> jobs_;
  std::vector<OpenRun> open_;                           // of each job
  std::vector<std::pair<Planned*, OwnerRecord>> left_;  // to other processes
  std::vector<std::string> failures_;
  size_t done_ = 0;
  Stopwatch since_news_;
  LiveLines lines_;
};

}  // namespace

std::vector<std::string> train_all(std::vector<Planned>& planned,
                                   const std::vector<Resolved>& resolved,
                                   const TrainAllOptions& options) {
  return Training(planned, resolved, options).run();
}

}  // namespace spikenm::cli
