#include "commands.h"
#include "config_options.h"
#include "exit_codes.h"
#include "path_option.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/core/toml.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/sweep/jobs.h"
#include "spikenm/sweep/outcome.h"
#include "spikenm/sweep/spec_file.h"
#include "spikenm/train/recipe.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

struct SweepArguments {
  std::string config, list, base, out, plot_x;
  std::vector<std::string> grid, set;
  std::vector<int64_t> seeds;
  int64_t jobs = 1;
  bool plot_log = false, dry_run = false;
};

sweep::Spec read_spec(const SweepArguments& a) {
  if (!a.list.empty() && !a.grid.empty())
    throw UsageError("sweep: found --list and --grid, which exclude each other");
  if (a.list.empty() && a.grid.empty())
    throw UsageError("sweep: wanted --list FILE, or --config FILE with --grid KEY=VALUES");
  if (!a.list.empty() && !a.config.empty())
    throw UsageError("sweep: --list names its own config; --base FILE puts another in its place");

  sweep::Spec spec;
  if (a.list.empty()) {
    spec.base = a.config;
    for (const std::string& argument : a.grid) spec.grid.push_back(sweep::parse_grid(argument));
  } else {
    spec = sweep::parse_spec(read_file(a.list), a.list);
  }

  if (!a.base.empty()) spec.base = a.base;
  if (!a.seeds.empty()) spec.seeds = sweep::seeds_from(a.seeds, "--seeds");
  if (!a.plot_x.empty()) spec.plot.x = a.plot_x;
  spec.plot.log = spec.plot.log || a.plot_log;
  spec.set = a.set;

  try {
    sweep::expand(spec);
  } catch (const Error& e) {
    // A mistake on the command line already names its option.
    if (a.list.empty() || std::string_view(e.what()).starts_with("--")) throw;
    fail("{}: {}", a.list, e.what());
  }
  return spec;
}

// A member as it would be trained.
struct Resolved {
  std::string config;
  std::string graph;  // of the network, if a file gives it; else empty
};

Resolved resolve(const Config& config, const train::Recipe& recipe) {
  if (!config.has("model.file")) return {.config = config.resolved_toml(), .graph = {}};
  resolve_model_file(config);
  return {.config = config.resolved_toml(), .graph = graph::to_toml(recipe.model.network->graph())};
}

// Reads every member's whole config, as training would. Returns each as it would be trained;
// `notes` receives what a dry run did not find, each note once.
std::vector<Resolved> check_members(const sweep::Spec& spec, train::Purpose purpose,
                                    std::set<std::string>& notes) {
  ProgressLine line;
  std::vector<Resolved> resolved;
  for (const sweep::Member& member : spec.members) {
    throw_if_interrupted("while configs were checked");
    line.update("sweep",
                static_cast<double>(resolved.size()) / static_cast<double>(spec.members.size()),
                "checking " + member.name);
    try {
      Config config = sweep::load_member(spec, member);
      config.override_with(fmt::format("seed={}", spec.seeds.front()));
      const train::Recipe recipe = train::read_recipe(config, {.purpose = purpose});
      notes.insert(recipe.notes.begin(), recipe.notes.end());
      resolved.push_back(resolve(config, recipe));
    } catch (const Error& e) {
      fail("member '{}': {}", member.name, e.what());
    }
  }
  ::malloc_trim(0);  // opened datasets must not take memory while the children train
  return resolved;
}

// One member with one seed.
struct Planned {
  size_t member;
  int64_t seed;
  std::string name;
  fs::path folder;
  Json config;                         // as its run would record it
  std::optional<report::Run> found{};  // empty: not finished
};

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

// Trains what is not finished; returns one line per run that failed.
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

// Prints the warnings of all runs, each sentence once.
void repeat_warnings(const std::vector<Planned>& planned) {
  std::map<std::string, std::vector<std::string>> runs_by_warning;
  for (const Planned& run : planned) {
    if (!run.found) continue;
    for (const Json& warning : run.found->result.value("warnings", Json::array()))
      if (warning.is_string()) runs_by_warning[warning.get<std::string>()].push_back(run.name);
  }
  for (const auto& [warning, runs] : runs_by_warning) {
    const std::string others =
        runs.size() > 1 ? fmt::format(" and {} more", runs.size() - 1) : std::string();
    say(fmt::format("warning: {}{}: {}", runs.front(), others, warning));
  }
}

void report_outcome(const sweep::Spec& spec, const std::vector<Planned>& planned,
                    const std::map<std::string, double>& published, const fs::path& out) {
  std::vector<sweep::MemberRun> runs;
  for (const Planned& run : planned) {
    if (run.found) runs.push_back({run.member, run.seed, *run.found});
  }
  if (runs.empty()) return;
  write_file_atomically(out / sweep::kResultsFile, sweep::results_csv(spec, runs));
  write_file_atomically(out / sweep::kSummaryFile, sweep::summary_csv(spec, runs));
  const report::Plot plot = sweep::make_plot(spec, runs, published);
  const bool has_values = std::any_of(plot.series.begin(), plot.series.end(),
                                      [](const auto& series) { return !series.values.empty(); });
  if (has_values) report::write_plot(plot, out / "plot");
  show("{}\nsweep: {}\n", sweep::summary_table(spec, runs, published), out.string());
}

void run_sweep(const SweepArguments& a) {
  const sweep::Spec spec = read_spec(a);
  const std::map<std::string, double> published = sweep::read_published(spec);
  std::set<std::string> notes;
  const std::vector<Resolved> resolved =
      check_members(spec, a.dry_run ? train::Purpose::kCheck : train::Purpose::kTrain, notes);
  for (const std::string& note : notes) say("note: " + note);

  std::vector<Planned> planned = plan(spec, resolved, a.out);
  if (a.dry_run) {
    for (const Planned& run : planned) show("{}{}\n", run.name, run.found ? " (finished)" : "");
    return;
  }

  const std::vector<std::string> failures = train_all(planned, resolved, a.jobs);
  std::string unwritten;  // such as a full disk: earlier failures are still printed
  try {
    report_outcome(spec, planned, published, a.out);
  } catch (const Error& e) {
    unwritten = e.what();
  }

  repeat_warnings(planned);
  for (const std::string& failure : failures) say(failure);
  SPIKENM_CHECK(unwritten.empty(), "{}; {} of {} runs failed", unwritten, failures.size(),
                planned.size());
  SPIKENM_CHECK(failures.empty(), "{}: {} of {} runs failed", a.out, failures.size(),
                planned.size());
}

}  // namespace

std::function<void()> setup_sweep(CLI::App& app) {
  auto a = std::make_shared<SweepArguments>();
  as_path(app.add_option("--config,-c", a->config, "TOML config that --grid varies"));
  app.add_option("--grid", a->grid, "KEY=VALUE,VALUE… of a config key; several cross");
  as_path(app.add_option("--list", a->list, "TOML file that lists the members (docs/sweeps.md)"));
  as_path(app.add_option("--base", a->base, "config in the place of the one that the list names"));
  app.add_option("--set", a->set, "a.b=value for every member; e.g. data.root=DIR threads=1");
  app.add_option("--seeds", a->seeds, "how many, from 0; or the seeds themselves: 0,4,7")
      ->delimiter(',');
  as_path(app.add_option("--out,-o", a->out, "folder for the runs and what they show"))->required();
  app.add_option("--jobs,-j", a->jobs, "runs at a time")
      ->check(CLI::Range(int64_t{1}, int64_t{256}))
      ->capture_default_str();
  app.add_option("--plot-x", a->plot_x, "key of the grid that the plot has as x");
  app.add_flag("--plot-log", a->plot_log, "logarithmic x");
  app.add_flag("--dry-run", a->dry_run, "check every config, list the runs and stop");

  app.footer(
      "Each member and seed is a process of its own, into OUT/<member>/seed<k>. The same command "
      "again\n"
      "skips what is finished. At the end OUT has results.csv (a row a run), summary.csv (mean "
      "and\n"
      "sample standard deviation), plot.png and plot.svg. Files under configs/ablations and\n"
      "configs/studies are ready to run.\n\n"
      "Examples:\n"
      "  spikenm sweep --config configs/demo/spikenm_2x4.toml --grid method.tau_max=1,0.5 "
      "method.tau_min=0.1,0.01 --seeds 3 --out runs/tau\n"
      "  spikenm sweep --list configs/ablations/lambda_eid.toml --set data.root=DIR --jobs 2 --out "
      "runs/lambda");
  return [a] { run_sweep(*a); };
}

}  // namespace spikenm::cli
