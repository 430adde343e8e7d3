#include "commands.h"
#include "path_option.h"
#include "record_spikes.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/report/confusion.h"
#include "spikenm/report/curves.h"
#include "spikenm/report/mask_figure.h"
#include "spikenm/report/picture_file.h"
#include "spikenm/report/points.h"
#include "spikenm/report/run_groups.h"
#include "spikenm/report/spike_figure.h"
#include "spikenm/report/svg_canvas.h"

#include <algorithm>
#include <memory>

namespace spikenm::cli {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> kKinds{"curves", "masks", "spikes", "confusion", "points"};

struct PlotArguments {
  std::vector<std::string> words;  // perhaps a kind, then runs
  std::vector<std::string> set, drop, rename;
  std::string out, by, with;
  report::PointsOptions points;
  int64_t sample = 0;
};

std::vector<report::Run> runs_at(const std::vector<fs::path>& folders, bool finished) {
  report::FoundRuns found =
      finished ? report::find_runs(folders) : report::find_begun_runs(folders);
  std::vector<std::string> names;
  for (const fs::path& folder : folders) names.push_back(folder.string());
  const std::string left_out = join(found.left_out, "; ");
  SPIKENM_CHECK(!found.finished.empty(), "{}: found no {}run{}", join(names, ", "),
                finished ? "finished " : "", left_out.empty() ? "" : " (" + left_out + ")");
  if (!left_out.empty()) say("spikenm: left out: " + left_out);
  return std::move(found.finished);
}

std::string title_of(const PlotArguments& a, const std::string& otherwise) {
  return a.points.title.empty() ? otherwise : a.points.title;
}

// A picture of each run, one below the other; several are told apart by their folders.
std::string draw_each(
    const PlotArguments& a, const std::vector<fs::path>& paths, const char* kind,
    const std::function<std::string(const std::string& title, const report::Run& run)>& draw_one) {
  std::vector<std::string> documents;
  for (const fs::path& path : paths) {
    const report::Run run = report::read_begun_run(path);
    const std::string name = title_of(a, fmt::format("{}: {}", kind, report::short_name(run)));
    documents.push_back(draw_one(paths.size() > 1 ? name + ", " + path.string() : name, run));
  }
  return report::stack_documents(documents);
}

std::string draw_masks(const PlotArguments& a, const std::vector<fs::path>& paths) {
  return draw_each(a, paths, "masks", [](const std::string& title, const report::Run& run) {
    return report::masks_svg(title, report::read_masks(run));
  });
}

std::string draw_spikes(const PlotArguments& a, const std::vector<fs::path>& paths) {
  return draw_each(a, paths, "spikes", [&](const std::string& title, const report::Run& run) {
    return report::spike_svg(title, record_spikes(run.folder, a.sample, a.set));
  });
}

// Runs that differ in the seed alone are added up.
std::string draw_confusion(const PlotArguments& a, const std::vector<fs::path>& paths) {
  const std::vector<report::Run> runs = runs_at(paths, /*finished=*/true);
  const std::vector<report::RunGroup> groups = report::group_runs(runs);
  SPIKENM_CHECK(groups.size() == 1,
                "plot confusion: found runs of {} settings ({} and {}), wanted one run, or runs "
                "that differ in the seed alone",
                groups.size(), groups[0].name, groups[1].name);
  std::vector<report::Confusion> all;
  for (const report::Run& run : runs) all.push_back(report::read_confusion(run));
  const std::string count = runs.size() > 1 ? fmt::format(", {} runs", runs.size()) : "";
  return report::confusion_svg(title_of(a, "confusion: " + groups[0].name + count),
                               report::sum_of(all));
}

void say_left_out(std::vector<std::string> gaps) {
  constexpr size_t kNamed = 10;
  if (gaps.empty()) return;
  if (const size_t n = gaps.size(); n > kNamed) {
    gaps.resize(kNamed);
    gaps.push_back(fmt::format("and {} more", n - kNamed));
  }
  say("spikenm: left out: " + join(gaps, "; "));
}

std::string draw_points(const PlotArguments& a, const std::vector<fs::path>& paths) {
  std::vector<report::PointRow> rows;
  const auto add = [&](std::vector<report::PointRow> more) {
    for (const std::string& run : report::add_rows(rows, std::move(more)))
      say("spikenm: counted once: " + run);
  };
  std::vector<fs::path> folders;
  for (const fs::path& path : paths) {
    if (path.extension() == ".csv") {
      add(report::rows_of_csv(report::parse_csv(read_file(path), path.string()), a.by));
    } else {
      folders.push_back(path);
    }
  }
  if (!folders.empty()) {
    const std::vector<report::Run> runs = runs_at(folders, /*finished=*/true);
    // Beside files, whose column it is, runs may join the curves of their settings.
    if (!a.by.empty() && rows.empty()) report::check_key(runs, a.by);
    add(report::rows_of_runs(runs, a.by));
  }
  if (!a.with.empty()) report::add_numbers(rows, report::parse_csv(read_file(a.with), a.with));
  report::drop_series(rows, a.drop);
  report::rename_series(rows, a.rename);
  const report::Plot plot = report::points_plot(rows, a.points);
  say_left_out(report::gaps_of(rows, a.points));
  return report::plot_svg(plot);
}

std::string draw(const std::string& kind, const PlotArguments& a,
                 const std::vector<fs::path>& paths) {
  if (kind == "masks") return draw_masks(a, paths);
  if (kind == "spikes") return draw_spikes(a, paths);
  if (kind == "confusion") return draw_confusion(a, paths);
  if (kind == "points") return draw_points(a, paths);
  return report::curves_svg(title_of(a, "learning curves"), runs_at(paths, /*finished=*/false));
}

// An option whose help begins with a kind has an effect with that kind alone.
void check_options(const CLI::App& app, const std::string& kind) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& other : kKinds)
      if (option->count() > 0 && other != kind &&
          option->get_description().starts_with(other + ": "))
        throw UsageError(
            fmt::format("{}: has no effect with {}, wanted {}", option->get_name(), kind, other));
}

// The first word may be a kind that is misspelt.
void check_first_word(const std::string& word) {
  std::error_code none;
  SPIKENM_CHECK(fs::exists(word, none) || word.find('/') != std::string::npos,
                "{}: found no such folder, nor a kind of plot; the nearest kind is {}", word,
                nearest(word, kKinds));
}

void plot(const PlotArguments& a, const CLI::App& app) {
  const bool has_kind = std::find(kKinds.begin(), kKinds.end(), a.words.front()) != kKinds.end();
  const std::string kind = has_kind ? a.words.front() : "curves";
  check_options(app, kind);
  const std::vector<fs::path> paths(a.words.begin() + (has_kind ? 1 : 0), a.words.end());
  if (paths.empty())
    throw UsageError(fmt::format("plot {}: found no run, wanted run folders behind it", kind));
  report::check_picture_name(a.out);
  if (!has_kind) check_first_word(a.words.front());
  show("{}\n", report::write_picture(draw(kind, a, paths), a.out).string());
}

}  // namespace

std::function<void()> setup_plot(CLI::App& app) {
  auto a = std::make_shared<PlotArguments>();
  app.add_option("kind_and_runs", a->words,
                 "curves (the default), masks, spikes, confusion or points; then run folders, or "
                 "folders with runs below")
      ->required();
  as_path(app.add_option("--out,-o", a->out, "file to write: .svg, or .png by rsvg-convert"))
      ->required();
  app.add_option("--title", a->points.title, "in the place of the usual one");
  app.add_option("--sample", a->sample, "spikes: which sample of validation, from 0")
      ->check(CLI::Range(int64_t{0}, INT64_MAX))
      ->capture_default_str();
  app.add_option("--set", a->set, "spikes: a.b=value over the run's config, such as data.root=DIR");
  app.add_option("--x", a->points.x, "points: the number along x")->capture_default_str();
  app.add_option("--y", a->points.y, "points: the number along y")->capture_default_str();
  app.add_option("--by", a->by, "points: config key or CSV column that makes a curve");
  as_path(app.add_option("--with", a->with,
                         "points: CSV with more numbers of the runs; its first column has the "
                         "names of their folders"));
  app.add_option("--rename", a->rename, "points: OLD=NEW, what the legend calls a curve");
  app.add_option("--drop", a->drop, "points: curves that are left out");
  app.add_flag("--labels", a->points.labels,
               "points: names beside the ends of the curves, in the place of a legend");
  app.add_flag("--log-x", a->points.log_x, "points: logarithmic x; a zero stands apart");
  app.add_flag("--log-y", a->points.log_y, "points: logarithmic y; a zero stands apart");

  app.footer(
      "Runs whose configs differ in the seed alone are one curve: mean, and spread as a band.\n"
      "masks: blocks, kept positions and |w|; over epochs where checkpoints are kept.\n"
      "points: any two numbers of result.json, or of CSV files with a row a run.\n\n"
      "Examples:\n"
      "  spikenm plot runs/demo -o curves.svg\n"
      "  spikenm plot masks runs/demo/spikenm_2x8 -o masks.png\n"
      "  spikenm plot spikes runs/demo/spikenm_2x8 --sample 3 -o spikes.svg\n"
      "  spikenm plot confusion runs/demo/dense -o confusion.svg\n"
      "  spikenm plot points runs --x sops_m --y test_accuracy --log-x -o points.svg");
  return [a, &app] { plot(*a, app); };
}

}  // namespace spikenm::cli
