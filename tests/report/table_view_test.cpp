#include "spikenm/report/table_view.h"

#include "support/expect_error.h"
#include "support/paper_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

using test::make_run;

report::Run control(const std::string& method, double accuracy) {
  report::Run run = make_run({}, accuracy);
  run.result["method"] = method;
  run.config["method"]["name"] = method;
  return run;
}

std::vector<PaperRow> rows() {
  return paper_rows({make_run({.seed = 0}, 80), make_run({.seed = 1}, 82), control("random", 70),
                     control("rewire", 75)},
                    {});
}

TEST(TableView, ShowsWhatDiffersAndMarksTheBestControl) {
  const std::string text = format_view(rows(), {});
  EXPECT_TRUE(text.starts_with("dataset cifar10, pattern 2:4, model 6conv2fc, T 8\n\n")) << text;
  EXPECT_NE(text.find("81.00 ± 1.41"), std::string::npos) << text;
  EXPECT_NE(text.find("75.00 *"), std::string::npos) << text;
  EXPECT_EQ(text.find("70.00 *"), std::string::npos) << text;
  EXPECT_NE(text.find("* best control"), std::string::npos) << text;
}

TEST(TableView, FitsTheWidthByLeavingOutTheLeastNeeded) {
  const TableView narrow{.format = ViewFormat::kText, .columns = {}, .most_width = 50};
  const TableCells cells = view_cells(rows(), narrow);
  EXPECT_EQ(cells.header.front(), "method");
  EXPECT_EQ(std::count(cells.header.begin(), cells.header.end(), "best val %"), 0);
  EXPECT_EQ(std::count(cells.header.begin(), cells.header.end(), "test acc %"), 1);
  EXPECT_EQ(std::count(cells.header.begin(), cells.header.end(), "seeds"), 1);
  EXPECT_TRUE(cells.notes.front().starts_with("left out to fit: ")) << cells.notes.front();
}

TEST(TableView, ColumnsMayBeNamedSortedAndGrouped) {
  TableView view{.format = ViewFormat::kText, .columns = {"method", "acc"}, .sort = "-acc"};
  const TableCells cells = view_cells(rows(), view);
  EXPECT_EQ(cells.header, (std::vector<std::string>{"method", "test acc %"}));
  ASSERT_EQ(cells.rows.size(), 3u);
  EXPECT_EQ(cells.rows[0][0], "spikenm");
  EXPECT_EQ(cells.rows[2][0], "random");
  view.group_by = "method";
  const TableCells grouped = view_cells(rows(), view);
  EXPECT_EQ(grouped.header, (std::vector<std::string>{"test acc %"}));
  EXPECT_EQ(grouped.group_begins, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(grouped.group_names[0], "method random");
  view.columns = {"folder"};
  EXPECT_EQ(view_cells(rows(), view).header, (std::vector<std::string>{"folder"}));
}

TEST(TableView, UnknownColumnsAreNamed) {
  EXPECT_ERROR(view_cells(rows(), {.columns = {"wait"}}), "--columns", "'wait'", "weight");
  EXPECT_ERROR(view_cells(rows(), {.sort = "-x"}), "--sort", "'x'");
  EXPECT_ERROR(view_cells(rows(), {.group_by = "x"}), "--group-by");
}

TEST(TableView, LatexHasBooktabsRulesAndNoBareSigns) {
  const std::string text = format_view(rows(), {.format = ViewFormat::kLatex});
  for (const char* part : {"\\toprule", "\\midrule", "\\bottomrule", "test acc \\%",
                           "81.00 $\\pm$ 1.41", "75.00$^{*}$"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace spikenm::report
