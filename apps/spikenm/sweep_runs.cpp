#include "sweep_runs.h"

#include "exit_codes.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/sweep/jobs.h"

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

// The finished run in `folder`, if it has this config and network. A run that is incomplete,
// damaged or different is trained again.
std::optional<report::Run> find_finished(const fs::path& folder, const Json& config,
                                         const std::string& graph) {
  try {
    report::Run run = report::read_run(folder);
    const bool same =
        run.config == config && (graph.empty() || read_file(folder / RunDir::kGraph) == graph);
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
sweep::Job make_job(const Planned& run, const std::string& resolved) {
  const fs::path config = run.folder.parent_path() / "member.toml";
  make_folders(run.folder.parent_path());
  write_file_atomically(config, resolved);
  return {.command = {"/proc/self/exe", "train", "--config", config.string(), "--out",
                      run.folder.string(), "--force", fmt::format("seed={}", run.seed)},
          .log = log_of(run)};
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

// "lr=0.1 seed0: 84.23 %", or "lr=0.1 seed0: failed: …".
std::string outcome_text(const Planned& run, const std::string& failure) {
  const std::string member = run.folder.parent_path().filename().string();
  const std::string outcome = run.found
                                  ? fmt::format("{:.2f} %", *run.found->number("test_accuracy"))
                                  : "failed: " + failure;
  return fmt::format("{} seed{}: {}", member, run.seed, outcome);
}

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
      Planned& added = planned.emplace_back(
          Planned{.member = m, .seed = seed, .name = name, .folder = out / name, .config = config});
      added.found = find_finished(added.folder, config, resolved[m].graph);
    }
  }
  return planned;
}

std::vector<std::string> train_all(std::vector<Planned>& planned,
                                   const std::vector<Resolved>& resolved, int64_t at_once) {
  std::vector<sweep::Job> jobs;
  std::vector<Planned*> open;
  for (Planned& run : planned) {
    if (run.found) continue;
    jobs.push_back(make_job(run, resolved[run.member].config));
    open.push_back(&run);
  }

  ProgressLine line;
  size_t done = planned.size() - open.size();
  const auto watch = [&](size_t, const std::vector<size_t>& running) {
    throw_if_interrupted(fmt::format("after {} of {} runs; the same command goes on from there",
                                     done, planned.size()));
    std::vector<std::string> names;
    for (const size_t job : running) names.push_back(open[job]->name);
    line.update("sweep", static_cast<double>(done) / static_cast<double>(planned.size()),
                fmt::format("{}/{} {}", done, planned.size(), join(names, " ")));
  };

  std::vector<std::string> failures;
  const auto job_ended = [&](size_t job, int code) {
    Planned& run = *open[job];
    const std::string failure = collect(run, code);
    if (!run.found) failures.push_back(fmt::format("{}: {}", run.name, failure));
    ++done;
    if (!line.is_live())  // else the bar shows it
      say(fmt::format("{}/{} {}", done, planned.size(), outcome_text(run, failure)));
  };

  static_cast<void>(sweep::run_jobs(jobs, static_cast<size_t>(at_once), watch, job_ended));
  return failures;
}

}  // namespace spikenm::cli
