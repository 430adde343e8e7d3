#include "commands.h"
#include "path_option.h"
#include "published_results.h"
#include "record_spikes.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/report/html_page.h"
#include "spikenm/report/run_groups.h"

#include <algorithm>
#include <memory>

namespace spikenm::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> folders, set;
  std::string out, title = "SpikeNM report";
  int64_t sample = 0;
  bool no_spikes = false;
};

// An option is at fault, not the data, which may be elsewhere.
bool is_mistake(const ReportArguments& a, std::string_view why) {
  if (why.starts_with("--sample:")) return true;
  return std::any_of(a.set.begin(), a.set.end(), [&](const std::string& text) {
    const std::string key = text.substr(0, text.find('='));
    const auto has = [&](const std::string& part) { return why.find(part) != why.npos; };
    return key != "data.root" && (has(key + ": ") || has("'" + text + "'"));
  });
}

// Spikes of the first run of each group. They need the run's data; where they cannot be had, the
// page says why.
void add_spikes(const ReportArguments& a, report::PageContent& page) {
  for (const report::RunGroup& group : report::group_runs(page.runs)) {
    const std::filesystem::path& folder = group.runs.front()->folder;
    if (!group.runs.front()->number("test_accuracy")) continue;
    try {
      page.spikes.emplace(folder.string(), record_spikes(folder, a.sample, a.set));
    } catch (const UsageError&) {
      throw;
    } catch (const Error& e) {
      if (is_mistake(a, e.what())) throw;
      page.notes.push_back(fmt::format("no spikes of {}: {}", folder.string(), e.what()));
      say("note: " + page.notes.back());
    }
  }
}

void report_runs(const ReportArguments& a) {
  SPIKENM_CHECK(a.out.ends_with(".html"), "{}: wanted a name that ends in .html", a.out);
  report::FoundRuns found = report::find_begun_runs({a.folders.begin(), a.folders.end()});
  const std::string left_out = join(found.left_out, "; ");
  SPIKENM_CHECK(!found.finished.empty(), "{}: found no run{}", join(a.folders, ", "),
                left_out.empty() ? "" : " (" + left_out + ")");
  report::PageContent page{
      .title = a.title, .runs = std::move(found.finished), .rows = {}, .spikes = {}, .notes = {}};
  for (const std::string& why : found.left_out) page.notes.push_back("left out: " + why);

  std::vector<report::Run> finished;
  for (const report::Run& run : page.runs)
    if (!run.result.contains("unfinished") && run.number("test_accuracy")) finished.push_back(run);
  page.rows = report::paper_rows(
      report::distinct_runs(std::move(finished)).runs,
      report::parse_published(published_results(), "configs/published/results.csv"));
  if (!a.no_spikes) add_spikes(a, page);

  write_file_atomically(a.out, report::html_page(page));
  show("{}: {} run{}\n", a.out, page.runs.size(), page.runs.size() == 1 ? "" : "s");
}

}  // namespace

std::function<void()> setup_report(CLI::App& app) {
  auto a = std::make_shared<ReportArguments>();
  as_path(app.add_option("folders", a->folders, "run folders, or folders with runs below"))
      ->required();
  as_path(app.add_option("--out,-o", a->out, "HTML file to write"))->required();
  app.add_option("--title", a->title, "of the page")->capture_default_str();
  app.add_option("--sample", a->sample, "sample of validation whose spikes are drawn, from 0")
      ->check(CLI::Range(int64_t{0}, INT64_MAX))
      ->capture_default_str();
  app.add_flag("--no-spikes", a->no_spikes, "draw no spikes, which need the data");
  app.add_option("--set", a->set, "a.b=value over the runs' configs, such as data.root=DIR");
  app.footer(
      "The page holds all it shows and loads nothing: it may be sent by mail.\n\n"
      "Examples:\n"
      "  spikenm report runs/demo -o report.html\n"
      "  spikenm report runs/a runs/b -o report.html --no-spikes");
  return [a] { report_runs(*a); };
}

}  // namespace spikenm::cli
