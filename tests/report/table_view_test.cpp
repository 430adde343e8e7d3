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

// Two recipes; what differs is no name.
std::vector<PaperRow> two_recipes() {
  report::Run longer = make_run({.epochs = 200}, 90), lambda = make_run({}, 85);
  lambda.config["method"]["lambda_eid"] = 5;
  report::Run control_longer = control("random", 60);
  control_longer.config["train"]["epochs"] = 200;
  return paper_rows({make_run({}, 80), longer, lambda, control("random", 70), control_longer}, {});
}

std::vector<std::string> column_texts(const TableCells& cells, const std::string& name) {
  const auto found = std::find(cells.header.begin(), cells.header.end(), name);
  if (found == cells.header.end()) return {};
  std::vector<std::string> texts;
  for (const auto& row : cells.rows)
    texts.push_back(row[static_cast<size_t>(found - cells.header.begin())]);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(TableView, EveryKeyInWhichAlikeRowsDifferIsAColumn) {
  const TableCells cells = view_cells(two_recipes(), {});
  EXPECT_EQ(column_texts(cells, "train.epochs"), (Texts{"10", "200", "10", "10", "200"}));
  EXPECT_EQ(column_texts(cells, "method.lambda_eid"), (Texts{"", "", "5", "", ""}));
  EXPECT_EQ(column_texts(cells, "settings"), Texts{});
}

TEST(TableView, AConfigKeyMayBeShownSortedByAndGroupedBy) {
  TableView view{.columns = {"acc", "train.epochs", "train.schedule"}, .sort = "-train.epochs"};
  const TableCells cells = view_cells(two_recipes(), view);
  EXPECT_EQ(cells.header, (Texts{"test acc %", "train.epochs", "train.schedule"}));
  EXPECT_EQ(column_texts(cells, "train.epochs"), (Texts{"200", "200", "10", "10", "10"}));
  EXPECT_EQ(column_texts(cells, "train.schedule")[0], "cosine");
  view.group_by = "method.lambda_eid";
  const TableCells grouped = view_cells(two_recipes(), view);
  EXPECT_EQ(grouped.group_names, (Texts{"method.lambda_eid 5", "method.lambda_eid -"}));
  EXPECT_ERROR(view_cells(two_recipes(), {.columns = {"train.epoch"}}), "'train.epoch'",
               "the nearest is train.epochs");
}

TEST(TableView, EachRecipeHasABestControl) {
  const TableCells cells = view_cells(two_recipes(), {.columns = {"acc"}, .sort = "acc"});
  EXPECT_EQ(column_texts(cells, "test acc %"),
            (Texts{"60.00 *", "70.00 *", "80.00", "85.00", "90.00"}));
}

size_t widest_line(const std::string& text) {
  size_t widest = 0, width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + ((static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0);
    widest = std::max(widest, width);
  }
  return widest;
}

TEST(TableView, NoLineIsWiderThanItMayBe) {
  std::vector<report::Run> runs;
  for (int i = 0; i < 4; ++i) {
    report::Run run =
        control(i % 2 == 0 ? "gradual-rewire" : "a-method-with-a-very-long-name", 70.0 + i);
    run.config["data"]["transforms"] = std::string(60, static_cast<char>('a' + i)) + " flip";
    run.result["model"] = "a_network_with_a_name_of_some_length_" + std::to_string(i % 2);
    run.result["data"] = "a data set of one's own, which has a long name, " + std::to_string(i / 2);
    for (int k = 0; k < 12; ++k)
      run.config["train"]["a_key_of_the_config_" + std::to_string(k)] = (i >> (k % 2)) & 1;
    runs.push_back(run);
  }
  const std::vector<PaperRow> rows = paper_rows(runs, {});
  for (const size_t most : {size_t{60}, size_t{100}, size_t{140}}) {
    const std::string text = format_view(rows, {.most_width = most});
    EXPECT_LE(widest_line(text), most) << text;
    EXPECT_GT(widest_line(text), most / 2) << text;
  }
  EXPECT_LE(widest_line(format_view(two_recipes(), {})), 100u);
}

TEST(TableView, CsvHasTheColumnsAndTheOrderThatAreAskedFor) {
  EXPECT_EQ(csv_view(two_recipes(), {.columns = {"method", "train.epochs", "acc"}, .sort = "-acc"}),
            "method,train.epochs,test_accuracy,test_accuracy_spread\n"
            "spikenm,200,90,\n"
            "spikenm,10,85,\n"
            "spikenm,10,80,\n"
            "random,10,70,\n"
            "random,200,60,\n");
  EXPECT_TRUE(csv_view(rows(), {}).starts_with("dataset,method,pattern,granularity,model,T,"));
  const std::string grouped =
      csv_view(two_recipes(), {.columns = {"method"}, .group_by = "method"});
  EXPECT_EQ(grouped, "method\nrandom\nrandom\nspikenm\nspikenm\nspikenm\n");
  EXPECT_ERROR(csv_view(rows(), {.columns = {"wait"}}), "--columns", "'wait'");
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
