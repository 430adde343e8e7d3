#include "commands.h"
#include "path_option.h"
#include "published_results.h"

#include "spikenm/core/error.h"
#include "spikenm/core/file.h"
#include "spikenm/core/say.h"
#include "spikenm/core/show.h"
#include "spikenm/core/text.h"
#include "spikenm/report/paper_comparison.h"
#include "spikenm/report/table_view.h"
#include "spikenm/report/view_columns.h"

#include <map>
#include <memory>

namespace spikenm::cli {
namespace {

const std::map<std::string, report::ViewFormat> kFormats{
    {"text", report::ViewFormat::kText},
    {"markdown", report::ViewFormat::kMarkdown},
    {"latex", report::ViewFormat::kLatex}};

struct TableArguments {
  std::vector<std::string> folders;
  std::string published, out;
  std::string format = "text";
  bool paper = false;
  report::TableView view;
};

std::vector<report::PublishedRow> read_published(const TableArguments& a) {
  if (a.published.empty())
    return report::parse_published(published_results(), "configs/published/results.csv");
  return report::parse_published(read_file(a.published), a.published);
}

std::vector<report::Run> read_runs(const TableArguments& a) {
  const report::FoundRuns found = report::find_runs({a.folders.begin(), a.folders.end()});
  const std::string left_out = join(found.left_out, "; ");
  SPIKENM_CHECK(!found.finished.empty(), "{}: found no finished run{}", join(a.folders, ", "),
                left_out.empty() ? "" : " (" + left_out + ")");
  if (!left_out.empty()) say("spikenm: left out: " + left_out);

  const report::DistinctRuns distinct = report::distinct_runs(found.finished);
  for (const std::string& repeated : distinct.repeated) say("spikenm: counted once: " + repeated);
  return distinct.runs;
}

std::string paper_text(const TableArguments& a) {
  SPIKENM_CHECK(a.view.columns.empty() && a.view.sort.empty() && a.view.group_by.empty(),
                "--paper: found --columns, --sort or --group-by beside it, wanted none: its rows "
                "and columns are the paper's");
  const auto runs = a.folders.empty() ? std::vector<report::Run>() : read_runs(a);
  const auto groups = report::compare_with_paper(read_published(a), runs);
  return a.format == "csv"
             ? report::comparison_csv(groups)
             : report::format_comparison(groups, kFormats.at(a.format), a.view.most_width);
}

std::string runs_text(const TableArguments& a) {
  const std::vector<report::PublishedRow> published = read_published(a);
  const std::vector<report::PaperRow> rows = report::paper_rows(read_runs(a), published);
  report::TableView view = a.view;
  if (a.format == "csv") return report::csv_view(rows, view);
  view.format = kFormats.at(a.format);
  return report::format_view(rows, view);
}

void table(const TableArguments& a) {
  if (a.folders.empty() && !a.paper)
    throw UsageError("table: found no folder, wanted run folders or --paper");
  const std::string text = a.paper ? paper_text(a) : runs_text(a);
  if (a.out.empty()) {
    show_text(text);
  } else {
    write_file_atomically(a.out, text);
  }
}

}  // namespace

std::function<void()> setup_table(CLI::App& app) {
  auto a = std::make_shared<TableArguments>();
  as_path(
      app.add_option("folders", a->folders, "run folders, or folders with runs somewhere below"));
  app.add_flag("--paper", a->paper,
               "the paper's two tables, with our runs of their networks beside; needs no run");
  app.add_option("--format,-f", a->format, "text, markdown, latex (booktabs) or csv")
      ->check(CLI::IsMember(std::vector<std::string>{"text", "markdown", "latex", "csv"}))
      ->capture_default_str();
  app.add_option("--columns", a->view.columns,
                 "the columns, by name: " + join(report::column_keys(), ", ") +
                     "; a config key, such as train.epochs; or all")
      ->delimiter(',');
  app.add_option("--sort", a->view.sort, "column or config key to sort by; -acc: largest first");
  app.add_option("--group-by", a->view.group_by,
                 "column or config key whose values become headings");
  app.add_option("--width", a->view.most_width, "most characters of a line, unless --columns")
      ->check(CLI::Range(size_t{20}, size_t{10'000}))
      ->capture_default_str();
  as_path(app.add_option("--published", a->published,
                         "CSV of published figures, instead of the paper's"));
  as_path(app.add_option("--out,-o", a->out, "write to a file instead of the terminal"));

  app.footer(
      "Runs whose configs differ in the seed alone are one row: mean ± sample standard deviation.\n"
      "One seed counts once, in however many folders it lies.\n"
      "Δ dense is against the dense runs of the same recipe (all but [method]) that prune no\n"
      "neurons.\n"
      "Shown are the columns in which rows differ, as many as fit; what all share stands above.\n"
      "Rows that would look the same have a column for each config key in which they differ.\n"
      "* marks the best control of a recipe. CSV has every column, or those that are named.\n"
      "Columns 'pub.' are the paper's figures for the same dataset, model, width, T, method, "
      "pattern\n"
      "and granularity.\n\n"
      "Examples:\n"
      "  spikenm table runs\n"
      "  spikenm table runs/a runs/b --format markdown --out table.md\n"
      "  spikenm table runs --columns method,pattern,acc,seeds,folder --sort -acc\n"
      "  spikenm table runs --columns method,train.epochs,acc --sort train.epochs\n"
      "  spikenm table runs --group-by pattern --format latex\n"
      "  spikenm table --paper runs");
  return [a] { table(*a); };
}

}  // namespace spikenm::cli
