#include "commands.h"
#include "config_options.h"
#include "path_option.h"
#include "sweep_halving.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/graph/graph_toml.h"
#include "spikenm/sweep/compare.h"
#include "spikenm/sweep/outcome.h"
#include "spikenm/sweep/spec_file.h"
#include "spikenm/train/recipe.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

struct SweepArguments {
  std::string config, list, base, out, plot_x, against;
  std::vector<std::string> grid, set;
  std::vector<int64_t> seeds;
  int64_t jobs = 1, retry = 0;
  bool plot_log = false, force = false, take_over = false, dry_run = false, halve = false,
       report = false;
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
  if (a.seeds.size() == 1) spec.seeds = sweep::first_seeds(a.seeds.front(), "--seeds");
  if (a.seeds.size() > 1) spec.seeds = sweep::listed_seeds(a.seeds, "--seeds");
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

// What the folder of a planned run holds, for the list of a dry run.
std::string content_text(const Planned& run) {
  if (!run.difference.empty()) return fmt::format(" (holds a run with {})", run.difference);
  return run.found ? " (finished)" : run.goes_on ? " (goes on)" : "";
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

// Writes how the rows compare with one of them, and returns it as a table.
std::string write_comparison(const sweep::Spec& spec, const std::vector<sweep::MemberRun>& runs,
                             const std::string& against, const fs::path& out) {
  const std::vector<sweep::Group> groups = sweep::groups_of(spec, runs);
  const std::vector<sweep::Comparison> comparisons = sweep::compare(groups, against);
  write_file_atomically(out / sweep::kComparisonFile, sweep::comparison_csv(comparisons));
  return sweep::comparison_table(comparisons);
}

// Returns why there is no plot: the table is shown nevertheless.
std::string draw_plot(const sweep::Spec& spec, const std::vector<sweep::MemberRun>& runs,
                      const std::map<std::string, double>& published, const fs::path& out) {
  try {
    const report::Plot plot = sweep::make_plot(spec, runs, published);
    const bool has_values = std::any_of(plot.series.begin(), plot.series.end(),
                                        [](const auto& series) { return !series.values.empty(); });
    if (has_values) report::write_plot(plot, out / "plot");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

void report_outcome(const sweep::Spec& spec, const std::vector<Planned>& planned,
                    const std::map<std::string, double>& published, const SweepArguments& a) {
  const fs::path out = a.out;
  std::vector<sweep::MemberRun> runs;
  for (const Planned& run : planned) {
    if (run.found) runs.push_back({run.member, run.seed, *run.found});
  }
  if (runs.empty()) return;
  write_file_atomically(out / sweep::kResultsFile, sweep::results_csv(spec, runs));
  write_file_atomically(out / sweep::kSummaryFile, sweep::summary_csv(spec, runs));
  const std::string undrawn = draw_plot(spec, runs, published, out);
  const std::string comparison =
      a.against.empty() ? "" : "\n" + write_comparison(spec, runs, a.against, out);
  show("{}{}\nsweep: {}\n", sweep::summary_table(spec, runs, published), comparison, out.string());
  SPIKENM_CHECK(undrawn.empty(), "{}", undrawn);
}

// Fails before anything is trained, not after hours.
void check_against(const sweep::Spec& spec, const std::string& against) {
  std::vector<std::string> names;
  for (const sweep::Member& member : spec.members) {
    names.push_back(member.listed);
    names.push_back(member.group);
  }
  SPIKENM_CHECK(against.empty() || std::find(names.begin(), names.end(), against) != names.end(),
                "--against: found '{}', which is no member; the nearest is {}", against,
                nearest(against, names));
}

// Returns one line per run that failed.
std::vector<std::string> train_runs(const sweep::Spec& spec, std::vector<Planned>& planned,
                                    const std::vector<Resolved>& resolved,
                                    const SweepArguments& a) {
  if (a.report) return {};
  const TrainAllOptions options{
      .at_once = a.jobs, .retry = a.retry, .force = a.force, .take_over = a.take_over};
  if (!a.halve) return train_all(planned, resolved, options);
  return train_halving(spec, planned, resolved, options,
                       a.against.empty() ? spec.plot.reference : a.against);
}

void run_sweep(const SweepArguments& a) {
  const sweep::Spec spec = read_spec(a);
  const std::map<std::string, double> published = sweep::read_published(spec);
  std::set<std::string> notes;
  check_against(spec, a.against);
  const bool trains = !a.dry_run && !a.report;
  const std::vector<Resolved> resolved =
      check_members(spec, trains ? train::Purpose::kTrain : train::Purpose::kCheck, notes);
  for (const std::string& note : notes) say("note: " + note);

  std::vector<Planned> planned = plan(spec, resolved, a.out);
  if (a.dry_run) {
    for (const Planned& run : planned) show("{}{}\n", run.name, content_text(run));
    return;
  }

  const std::vector<std::string> failures = train_runs(spec, planned, resolved, a);
  std::string unwritten;  // such as a full disk: earlier failures are still printed
  try {
    report_outcome(spec, planned, published, a);
  } catch (const Error& e) {
    unwritten = e.what();
  }

  repeat_warnings(planned);
  for (const std::string& failure : failures) say(failure);
  if (failures.empty() && !unwritten.empty()) fail("{}", unwritten);
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
  app.add_option("--retry", a->retry, "how often a run that failed is started again")
      ->check(CLI::Range(int64_t{0}, int64_t{1000}))
      ->capture_default_str();
  app.add_option("--plot-x", a->plot_x,
                 "key of the grid, or number of the results, that the plot has as x");
  app.add_flag("--plot-log", a->plot_log, "logarithmic x");
  app.add_flag("--force", a->force, "train anew where the folder holds a run with another config");
  app.add_flag("--take-over", a->take_over,
               "use folders that belong to runs on another host, which no longer run");
  app.add_option("--against", a->against,
                 "row that all others are compared with, seed by seed: mean difference, its 95 % "
                 "interval and a verdict");
  app.add_flag("--halve", a->halve,
               "all rows on the first seed, the better half by validation on two, and so on");
  app.add_flag("--report", a->report, "train nothing: show what is finished");
  app.add_flag("--dry-run", a->dry_run, "check every config, list the runs and stop");

  app.footer(
      "Each member and seed is a process of its own, into OUT/<member>/seed<k>. The same command "
      "again\n"
      "skips what is finished and goes on with what is not; given twice at a time, it shares the "
      "runs.\n"
      "At the end OUT has results.csv (a row a run), summary.csv (mean and sample standard "
      "deviation),\n"
      "plot.png and plot.svg. Files under configs/ablations and\n"
      "configs/studies are ready to run.\n\n"
      "Examples:\n"
      "  spikenm sweep --config configs/demo/spikenm_2x4.toml --grid method.tau_max=1,0.5 "
      "method.tau_min=0.1,0.01 --seeds 3 --out runs/tau\n"
      "  spikenm sweep --list configs/ablations/lambda_eid.toml --set data.root=DIR --jobs 2 --out "
      "runs/lambda");
  return [a] { run_sweep(*a); };
}

}  // namespace spikenm::cli
