#include "spikenm/report/paper_table.h"

#include "spikenm/report/csv.h"
#include "support/expect_error.h"

namespace spikenm::report {
namespace {

struct Setting {
  const char* method = "spikenm";
  const char* pattern = "2:4";
  int64_t seed = 0;
  int64_t epochs = 10;
  int64_t width = 32;
};

Run make_run(const Setting& s, double accuracy) {
  Run run;
  run.folder = "runs/x";
  run.config = {{"seed", s.seed},
                {"model", {{"name", "6conv2fc"}, {"T", 8}, {"width", s.width}}},
                {"method", {{"name", s.method}, {"pattern", s.pattern}}},
                {"train", {{"epochs", s.epochs}}}};
  run.result = {
      {"method", s.method},  {"pattern", s.pattern},      {"data", "cifar10"},
      {"model", "6conv2fc"}, {"test_accuracy", accuracy}, {"test_accuracy_best_val", accuracy + 1},
      {"weight_pct", 50},    {"conn_pct", 40.5},          {"sops_m", 1.25}};
  return run;
}

PublishedRow published_row(const char* flag) {
  PublishedRow row;
  row.dataset = "CIFAR10";
  row.method = "SpikeNM";
  row.pattern = "2:4";
  row.granularity = "weight";
  row.model = "6Conv+2FC";
  row.accuracy = 93.64;
  row.delta = 0.8;
  row.sops_m = 348.3;
  row.flag = flag;
  return row;
}

TEST(PaperRows, RunsThatDifferInTheSeedAloneAreOneRow) {
  const auto rows = paper_rows(
      {make_run({.seed = 0}, 80), make_run({.seed = 1}, 82), make_run({.pattern = "2:8"}, 70)}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].n, 2u);
  EXPECT_EQ(rows[0].accuracy->mean, 81);
  EXPECT_NEAR(*rows[0].accuracy->spread, 1.4142135623730951, 1e-12);  // sqrt((1 + 1) / 1)
  EXPECT_EQ(rows[0].accuracy_best_val->mean, 82);
  EXPECT_EQ(rows[1].n, 1u);
  EXPECT_EQ(rows[1].pattern, "2:8");
  EXPECT_FALSE(rows[1].accuracy->spread);
}

TEST(PaperRows, TimeStepsComeFromTheResultOrTheConfig) {
  report::Run run = make_run({}, 80);
  EXPECT_EQ(paper_rows({run}, {})[0].T, 8);
  run.result["T"] = 4;
  EXPECT_EQ(paper_rows({run}, {})[0].T, 4);
}

TEST(PaperRows, TheDifferenceIsToDenseRunsOfTheSameModelAndBudget) {
  const auto rows = paper_rows({make_run({}, 80), make_run({.method = "dense", .pattern = "-"}, 84),
                                make_run({.method = "dense", .pattern = "-", .seed = 1}, 86),
                                make_run({.epochs = 20}, 83), make_run({.width = 8}, 60)},
                               {});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].method, "dense");  // first of its dataset and model
  EXPECT_EQ(rows[0].delta, 0);
  EXPECT_EQ(rows[1].delta, -5);  // 80 - (84 + 86)/2
  EXPECT_EQ(rows[2].delta, std::nullopt);
  EXPECT_EQ(rows[3].delta, std::nullopt);
}

TEST(PaperRows, ADenseNetworkWithPrunedNeuronsIsNoBaseline) {
  report::Run pruned = make_run({.method = "dense", .pattern = "-", .width = 32}, 70);
  pruned.config["method"]["granularity"] = "weight+neuron";
  pruned.result["granularity"] = "weight+neuron";
  const auto alone = paper_rows({pruned, make_run({}, 80)}, {published_row("")});
  ASSERT_EQ(alone.size(), 2u);
  EXPECT_EQ(alone[0].delta, std::nullopt);
  EXPECT_FALSE(alone[0].published);  // nor is the dense figure its own
  EXPECT_EQ(alone[1].delta, std::nullopt);

  report::Run dense = make_run({.method = "dense", .pattern = "-"}, 84);
  dense.result["granularity"] = "weight";
  const auto rows = paper_rows({pruned, dense, make_run({}, 80)}, {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].delta, -14);
  EXPECT_EQ(rows[1].delta, 0);
  EXPECT_EQ(rows[2].delta, -4);
}

TEST(PaperRows, PublishedFiguresStandBesideTheirRow) {
  const auto rows = paper_rows({make_run({}, 80), make_run({.pattern = "2:8"}, 70),
                                make_run({.method = "dense", .pattern = "-"}, 84)},
                               {published_row("")});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(rows[0].published.value().accuracy.value(), 92.84, 1e-9);
  EXPECT_EQ(rows[1].published.value().accuracy, 93.64);
  EXPECT_FALSE(rows[2].published);
}

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

}  // namespace
}  // namespace spikenm::report
