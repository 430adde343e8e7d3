#include "spikenm/report/paper_table.h"

#include "spikenm/report/csv.h"
#include "support/paper_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

using test::make_run;
using test::published_row;

TEST(PaperTable, TextLeavesOutEmptyColumnsAndMarksFlags) {
  const auto rows = paper_rows({make_run({.seed = 0}, 80), make_run({.seed = 1}, 82)},
                               {published_row("sops_suspect")});
  EXPECT_EQ(format_paper_table(rows, TableFormat::kText),
            "dataset   method  pattern     model  T    test acc %    best val %  weight %  co"
            "nn %  SOPs M  seeds  pub. acc %  pub. SOPs M\n"
            "--------------------------------------------------------------------------------"
            "--------------------------------------------\n"
            "cifar10  spikenm      2:4  6conv2fc  8  81.00 ± 1.41  82.00 ± 1.41     50.00   4"
            "0.50    1.25      2   93.64 [1]        348.3\n"
            "\n[1] published: sops suspect\n");
}

TEST(PaperTable, MarkdownHasTheSameCells) {
  const auto rows = paper_rows({make_run({}, 80)}, {});
  EXPECT_EQ(
      format_paper_table(rows, TableFormat::kMarkdown),
      "| dataset | method | pattern | model | T | test acc % | best val % | weight % | conn % "
      "| SOPs M | seeds |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
      "| cifar10 | spikenm | 2:4 | 6conv2fc | 8 | 80.00 | 81.00 | 50.00 | 40.50 | 1.25 | 1 "
      "|\n");
}

TEST(PaperTable, CsvHasEveryColumnWithSpreadsApart) {
  const auto rows = paper_rows(
      {make_run({.seed = 0}, 80), make_run({.seed = 1}, 82), make_run({.pattern = "2:8"}, 70)},
      {published_row("odd, \"very\"")});
  const Csv csv = parse_csv(format_paper_table(rows, TableFormat::kCsv), "table");
  ASSERT_EQ(csv.rows.size(), 2u);
  const auto cell = [&](size_t row, const char* name) {
    return csv.rows[row].cells[csv.column(name)];
  };
  EXPECT_EQ(cell(0, "test_accuracy"), "81");
  EXPECT_EQ(cell(0, "test_accuracy_spread"), "1.4142135623730951");
  EXPECT_EQ(cell(1, "test_accuracy"), "70");
  EXPECT_EQ(cell(1, "test_accuracy_spread"), "");
  EXPECT_EQ(cell(0, "energy_uj"), "");
  EXPECT_EQ(cell(0, "published_acc"), "93.64");
  EXPECT_EQ(cell(0, "published_flag"), "odd, \"very\"");
  EXPECT_EQ(cell(0, "seeds"), "2");
}

TEST(PaperTable, WeightsOfAllLayersStandBesideWhereTheyDiffer) {
  report::Run all = make_run({}, 80), some = make_run({.pattern = "2:8"}, 70);
  all.result["weight_pct_all"] = 50;
  some.result["weight_pct_all"] = 61.5;
  const std::string same = format_paper_table(paper_rows({all}, {}), TableFormat::kText);
  EXPECT_EQ(same.find("of all weights %"), std::string::npos) << same;
  const std::string text = format_paper_table(paper_rows({all, some}, {}), TableFormat::kText);
  EXPECT_NE(text.find("weight %  of all weights %"), std::string::npos) << text;
  EXPECT_NE(text.find("50.00                     40.50"), std::string::npos) << text;
  EXPECT_NE(text.find("50.00             61.50   40.50"), std::string::npos) << text;
  const Csv csv =
      parse_csv(format_paper_table(paper_rows({all, some}, {}), TableFormat::kCsv), "table");
  EXPECT_EQ(csv.rows[0].cells[csv.column("weight_pct_all")], "50");
  EXPECT_EQ(csv.rows[1].cells[csv.column("weight_pct_all")], "61.5");
}

TEST(PaperTable, SettingsThatAreNotNeededAreCounted) {
  report::Run other = make_run({}, 81);
  other.config["method"]["preset"] = "default";
  for (const char* key : {"a", "b", "c"}) other.config["method"][key] = 1;
  const auto rows = paper_rows({make_run({}, 80), other}, {});
  const std::string text = format_paper_table(rows, TableFormat::kText);
  EXPECT_NE(text.find("method.preset=default, method.a=1, method.b=1, 1 more"), std::string::npos)
      << text;
  const Csv csv = parse_csv(format_paper_table(rows, TableFormat::kCsv), "table");
  EXPECT_EQ(csv.rows[1].cells[csv.column("settings")],
            "method.preset=default, method.a=1, method.b=1, method.c=1");
}

}  // namespace
}  // namespace spikenm::report
