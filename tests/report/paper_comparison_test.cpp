#include "spikenm/report/paper_comparison.h"

#include "spikenm/report/view_columns.h"
#include "support/expect_error.h"
#include "support/paper_runs.h"

#include <sstream>

namespace spikenm::report {
namespace {

using test::make_run;

// A table of three rows: one copied with another network, one like for like, and SpikeNM's.
std::vector<PublishedRow> figures() {
  return parse_published(
      "table,dataset,category,method,nm,granularity,model,T,acc,delta,sops_M,weight_pct,conn_pct,"
      "flag,network,recipe,source\n"
      "1,CIFAR10,structured,NSL,,channel,VGGSNN,4,91.2,-0.4,,,57.88,,,own,copied\n"
      "1,CIFAR10,unstructured,UPR,,weight,6Conv+2FC,8,92.6,-0.2,38.3,34.2,40,odd_one,width=256,"
      "UPR,copied\n"
      "1,CIFAR10,semi,SpikeNM,2:4,weight,6Conv+2FC,8,93.5,0.5,348.3,43.2,43.2,,width=256,UPR,"
      "paper\n"
      "2,CIFAR10,semi,SpikeNM,2:4,weight,6Conv+2FC,8,93.5,0.5,,,43.2,,width=256,UPR,paper\n",
      "p.csv");
}

TEST(PaperComparison, RowsAreThePapersWithTheDenseNetworkThatTheyImply) {
  const auto groups = compare_with_paper(figures(), {});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].table, "1");
  EXPECT_EQ(groups[0].dataset, "CIFAR10");
  ASSERT_EQ(groups[0].rows.size(), 4u);
  EXPECT_EQ(groups[0].rows[0].paper.value().method, "dense");
  EXPECT_EQ(groups[0].rows[0].paper->accuracy, 93);
  EXPECT_EQ(groups[0].rows[0].paper->source, "implied");
  EXPECT_EQ(groups[1].rows.size(), 2u);
  for (const ComparisonGroup& group : groups)
    for (const ComparisonRow& row : group.rows) EXPECT_FALSE(row.ours);
}

TEST(PaperComparison, WhatDiffersFromSpikeNmIsNamed) {
  const auto rows = compare_with_paper(figures(), {}).at(0).rows;
  using Texts = std::vector<std::string>;
  EXPECT_EQ(rows[0].differs, Texts{});
  EXPECT_EQ(rows[1].differs, (Texts{"network", "T", "recipe"}));
  EXPECT_EQ(rows[2].differs, Texts{});
  EXPECT_EQ(rows[3].differs, Texts{});
}

TEST(PaperComparison, OursStandBesideTheirRowInEachTableAndControlsBelow) {
  const auto groups = compare_with_paper(
      figures(), {make_run({}, 90), make_run({.epochs = 20}, 91),
                  make_run({.method = "random"}, 80), make_run({.method = "dense"}, 92),
                  make_run({.method = "upr", .pattern = "unstructured"}, 88),
                  make_run({.method = "random", .width = 16}, 50)});
  const std::vector<ComparisonRow>& rows = groups.at(0).rows;
  ASSERT_EQ(rows.size(), 6u);  // the narrow one has no place
  EXPECT_EQ(rows[0].ours.value().accuracy->mean, 92);
  EXPECT_FALSE(rows[1].ours);
  EXPECT_EQ(rows[2].ours.value().accuracy->mean, 88);
  EXPECT_EQ(rows[3].ours.value().accuracy->mean, 90);
  EXPECT_FALSE(rows[4].paper);  // the same figure, another budget
  EXPECT_EQ(rows[4].ours.value().accuracy->mean, 91);
  EXPECT_FALSE(rows[5].paper);
  EXPECT_EQ(rows[5].ours.value().method, "random");
  EXPECT_EQ(groups.at(1).rows.at(1).ours.value().accuracy->mean, 90);
}

TEST(PaperComparison, TextMarkdownLatexAndCsvHaveTheSameRows) {
  const auto groups = compare_with_paper(figures(), {make_run({.method = "random"}, 80)});
  const std::string text = format_comparison(groups, ViewFormat::kText, 200);
  EXPECT_NE(text.find("Table 1 of the paper, and ours\n\nCIFAR10\n"), std::string::npos) << text;
  EXPECT_NE(text.find("no: network, T, recipe   copied"), std::string::npos) << text;
  EXPECT_NE(text.find("92.60 [1]"), std::string::npos) << text;
  EXPECT_NE(text.find("[1] odd one\nlike for like: "), std::string::npos) << text;
  EXPECT_NE(text.find("Table 2 of the paper"), std::string::npos) << text;
  EXPECT_NE(format_comparison(groups, ViewFormat::kMarkdown)
                .find("| structured | NSL |  | channel | VGGSNN | 4 | 91.20 | -0.40 |"),
            std::string::npos);
  EXPECT_NE(format_comparison(groups, ViewFormat::kLatex).find("\\multicolumn{"),
            std::string::npos);
  const std::string csv = comparison_csv(groups);
  EXPECT_NE(csv.find("\n1,CIFAR10,structured,NSL,,channel,VGGSNN,4,91.20,-0.40,,,57.88,"
                     "\"no: network, T, recipe\",copied,"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\n1,CIFAR10,,random,2:4,,6conv2fc,8,,,,,,,,80.00,,1.25,50.00,40.50,1,,\n"),
            std::string::npos)
      << csv;
}

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, width_of(line));
  return widest;
}

TEST(PaperComparison, TextFitsByLettersThenByLeavingColumnsOut) {
  const auto alone = compare_with_paper(figures(), {});
  EXPECT_GT(widest_line(format_comparison(alone, ViewFormat::kText, 200)), 110u);
  const std::string both = format_comparison(alone, ViewFormat::kText, 110);
  EXPECT_LE(widest_line(both), 110u) << both;
  const std::string letters = both.substr(0, both.find("Table 2"));
  for (const char* part :
       {"  n t r     c", "structured", "differs: from SpikeNM's row in n the network"})
    EXPECT_NE(letters.find(part), std::string::npos) << part << letters;
  EXPECT_EQ(letters.find("like for like: "), std::string::npos) << letters;
  EXPECT_EQ(letters.find("left out"), std::string::npos) << letters;

  const auto groups =
      compare_with_paper(figures(), {make_run({}, 90), make_run({.method = "random"}, 80)});
  const std::string text = format_comparison(groups, ViewFormat::kText);
  EXPECT_LE(widest_line(text), 100u) << text;
  for (const char* part : {"our acc %", "90.00", "left out: category, our SOPs M", "--width"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  const std::string markdown = format_comparison(groups, ViewFormat::kMarkdown);
  EXPECT_NE(markdown.find("| like for like | from |"), std::string::npos) << "as wide as it is";
}

TEST(PaperComparison, AFileThatDoesNotSayWhatIsComparedIsNamed) {
  std::vector<PublishedRow> rows = figures();
  rows[1].source = "";
  EXPECT_ERROR(compare_with_paper(rows, {}), "line 3: found no table, recipe or source");
  rows = figures();
  rows.resize(2);
  EXPECT_ERROR(compare_with_paper(rows, {}), "found no row of SpikeNM", "for CIFAR10");
}

}  // namespace
}  // namespace spikenm::report
