#include "spikenm/report/points.h"

#include "spikenm/report/settings.h"
#include "support/expect_error.h"
#include "support/report_runs.h"

namespace spikenm::report {
namespace {

TEST(Points, RowsOfATableAreGroupedByWhatIsText) {
  const Csv csv = parse_csv(
      "member,pattern,seed,weight_pct,test_accuracy,commit\n"
      "held,2:4,0,50,80,abc\nheld,2:4,1,50,82,def\nheld,2:16,0,12.5,70,abc\ndense,,0,100,85,abc\n",
      "t.csv");
  const Plot plot = points_plot(rows_of_csv(csv, ""), {.title = "t"});
  EXPECT_EQ(plot.x_label, "weight %");
  EXPECT_EQ(plot.y_label, "test accuracy %");
  ASSERT_EQ(plot.series.size(), 2u);
  ASSERT_EQ(plot.series[0].values.size(), 2u);
  EXPECT_EQ(plot.series[0].values[0].x, 12.5);
  EXPECT_EQ(plot.series[0].values[1].y, 81);
  EXPECT_TRUE(plot.series[0].values[1].spread);
  EXPECT_NE(plot.note.find("n = 1 to 2 runs"), std::string::npos);
}

TEST(Points, RunsHaveEveryNumberOfTheirResults) {
  test::ReportRuns made;
  const std::vector<report::Run> runs{made.add("a", 0, "dense", "", R"(, "sops_m": 3)"),
                                      made.add("b", 1, "dense", "", R"(, "sops_m": 5)")};
  const Plot plot = points_plot(rows_of_runs(runs, "method.name"), {.x = "sops_m"});
  ASSERT_EQ(plot.series.size(), 1u);
  EXPECT_EQ(plot.series[0].name, "dense");
  EXPECT_EQ(plot.series[0].values.at(0).x, 4);
  EXPECT_ERROR(points_plot(rows_of_runs(runs, ""), {.x = "sop_m"}), "sop_m", "nearest is sops_m");
}

TEST(Points, RunsMayHaveNumbersFromElsewhere) {
  test::ReportRuns made;
  const std::vector<report::Run> runs{made.add("a", 0, "dense", ""),
                                      made.add("b", 0, "random", "")};
  std::vector<PointRow> rows = rows_of_runs(runs, "method.name");
  add_numbers(rows, parse_csv("run,milliseconds,isa\nb,1.5,avx512\nother,9,avx2\n", "ms.csv"));
  const Plot plot = points_plot(rows, {.x = "milliseconds"});
  EXPECT_EQ(plot.x_label, "milliseconds of a sample");
  ASSERT_EQ(plot.series.size(), 1u) << "a run without the number has no point";
  EXPECT_EQ(plot.series[0].name, "random");
  EXPECT_EQ(plot.series[0].values.at(0).x, 1.5);
  EXPECT_ERROR(add_numbers(rows, parse_csv("run,ms\nx,1\n", "ms.csv")), "ms.csv", "'run'", "/a'");
}

// As in the folder of a sweep, where every run is a seed0.
TEST(Points, NumbersFindTheirRunByTheEndOfItsPath) {
  test::ReportRuns made;
  const std::vector<report::Run> runs{made.add("g/x/seed0", 0, "dense", ""),
                                      made.add("g/x/seed1", 1, "dense", ""),
                                      made.add("g/y/seed0", 0, "random", "")};
  const auto joined = [&](const std::string& text) {
    std::vector<PointRow> rows = rows_of_runs(runs, "method.name");
    add_numbers(rows, parse_csv(text, "ms.csv"));
    std::vector<double> found;
    for (const PointRow& row : rows)
      found.push_back(row.numbers.contains("ms") ? row.numbers.at("ms") : 0);
    return found;
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(joined("run,ms\nx/seed0,1\n../g/y/seed0/,2\n"), (Numbers{1, 0, 2}));
  EXPECT_EQ(joined("run,ms\nseed1,3\n" + (made.dir() / "g/x/seed0").string() + ",4\n"),
            (Numbers{4, 3, 0}));
  EXPECT_EQ(joined("run,ms\ng/x/seed1,6\nseed1,3\n"), (Numbers{0, 6, 0})) << "the longest name";
  EXPECT_ERROR(joined("run,ms\nx/seed0,1\nseed0,2\n"), "ms.csv:3", "'seed0'", "several settings");
  EXPECT_ERROR(joined("run,ms\need0,1\nz/seed0,2\n"), "found none of the runs");
}

TEST(Points, ARunThatTwoTablesHaveCountsOnce) {
  std::vector<PointRow> rows =
      rows_of_csv(parse_csv("member,pattern,seed,y\ndense,,6,1\nheld,2:4,6,2\n", "a.csv"), "");
  const auto repeated = add_rows(
      rows, rows_of_csv(parse_csv("member,seed,y\ndense,6,9\ndense,7,3\nheld,6,4\n", "b.csv"), ""));
  EXPECT_EQ(repeated, std::vector<std::string>{"dense, seed 6"});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2].point, rows[0].point) << "a column that is empty tells nothing apart";
  EXPECT_EQ(rows[3].series, "held") << "of another pattern";
  drop_series(rows, {"held"});
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_ERROR(drop_series(rows, {"held"}), "--drop", "'held'", "dense");
}

// The CSV file of a sweep and the folders of its runs name the same measurements.
TEST(Points, ARunThatATableAndAFolderHaveCountsOnce) {
  test::ReportRuns made;
  const std::vector<report::Run> runs{made.add("a", 0, "dense", ""), made.add("b", 1, "dense", ""),
                                      made.add("c", 0, "random", "")};
  const std::string hash = settings_hash(runs[0]);
  EXPECT_EQ(hash, settings_hash(runs[1])) << "but for the seed";
  EXPECT_NE(hash, settings_hash(runs[2]));
  for (const bool table_first : {true, false}) {
    std::vector<PointRow> table = rows_of_csv(
        parse_csv("member,seed,config_md5,test_accuracy\nplain,0," + hash + ",50\n", "a.csv"), "");
    std::vector<PointRow> folders = rows_of_runs(runs, "");
    std::vector<PointRow>& rows = table_first ? table : folders;
    const auto repeated = add_rows(rows, table_first ? folders : table);
    ASSERT_EQ(repeated.size(), 1u);
    EXPECT_TRUE(repeated[0].ends_with(table_first ? "a, seed 0" : "plain, seed 0")) << repeated[0];
    const Plot plot = points_plot(rows, {.x = "seed"});
    ASSERT_EQ(plot.series.size(), 2u);
    EXPECT_EQ(plot.series[0].name, table_first ? "plain" : "dense");
    ASSERT_EQ(plot.series[0].values.size(), 1u) << "the other seed joins the point";
    EXPECT_EQ(plot.series[0].values[0].y, 50.5);
    EXPECT_NE(plot.note.find("n = 1 to 2 runs"), std::string::npos) << plot.note;
  }
}

TEST(Points, ARowWithoutANumberIsNamedAndOneWithAWordRefused) {
  const auto rows_of = [](const std::string& lines) {
    return rows_of_csv(parse_csv("member,x,y\n" + lines, "c.csv"), "");
  };
  const PointsOptions x_and_y{.x = "x", .y = "y"};
  const std::vector<PointRow> gap = rows_of("a,1,2\na,,3\na,4,\n");
  EXPECT_EQ(gaps_of(gap, x_and_y),
            (std::vector<std::string>{"c.csv:3: found no x", "c.csv:4: found no y"}));
  EXPECT_EQ(points_plot(gap, x_and_y).series.at(0).values.size(), 1u);
  for (const std::string word : {"foo", "nan", "inf", "1e999", "4 %"}) {
    const std::vector<PointRow> rows = rows_of("a,1,2\na," + word + ",3\n");
    EXPECT_ERROR(points_plot(rows, x_and_y), "c.csv:3: x: found '", word.c_str(),
                 "wanted a finite number");
    EXPECT_EQ(points_plot(rows, {.x = "y", .y = "y"}).series.size(), 1u) << "not drawn";
  }
  EXPECT_ERROR(rows_of(""), "c.csv: found no rows");
}

TEST(Points, AKeyThatNoRunHasIsNoCurve) {
  test::ReportRuns made;
  const std::vector<report::Run> runs{made.add("a", 0, "dense", "")};
  check_key(runs, "method.name");
  EXPECT_ERROR(check_key(runs, "method.nam"), "--by", "'method.nam'", "nearest is method.name");
}

TEST(Points, NumbersFromElsewhereReplaceNoneAndAreThereOnce) {
  test::ReportRuns made;
  const std::vector<report::Run> runs{made.add("a", 0, "dense", ""), made.add("b", 1, "dense", "")};
  const auto joined = [&](const std::string& text) {
    std::vector<PointRow> rows = rows_of_runs(runs, "");
    add_numbers(rows, parse_csv(text, "ms.csv"));
    return rows;
  };
  EXPECT_ERROR(joined("run,ms\na,1\nb,2\n./a/,3\n"), "ms.csv:4", "'./a/' again", "line 2");
  EXPECT_ERROR(joined("run,test_accuracy\na,99\n"), "ms.csv:2: test_accuracy: found 99", "has 50");
  EXPECT_ERROR(joined("run,ms\n"), "ms.csv: found no rows");
  const std::vector<PointRow> same = joined("run,seed,ms\na,0,7\n");
  EXPECT_EQ(same[0].numbers.at("ms"), 7) << "a number that is the same replaces nothing";
  EXPECT_EQ(gaps_of(same, {.x = "ms"}),
            std::vector<std::string>{(made.dir() / "b").string() + ": found no ms"});
  EXPECT_ERROR(points_plot(joined("run,ms\na,1\nb,slow\n"), {.x = "ms"}),
               "ms.csv:3: ms: found 'slow'");
}

TEST(Points, CurvesMayBeCalledOtherwise) {
  const Csv csv = parse_csv("member,x,y\ndefault,1,2\ndense,3,4\n", "t.csv");
  std::vector<PointRow> rows = rows_of_csv(csv, "");
  rename_series(rows, {"default=SpikeNM, λ=5"});
  EXPECT_EQ(rows[0].series, "SpikeNM, λ=5");
  EXPECT_EQ(rows[1].series, "dense");
  EXPECT_ERROR(rename_series(rows, {"default=x"}), "'default'", "SpikeNM", "dense");
  EXPECT_ERROR(rename_series(rows, {"dense"}), "--rename", "OLD=NEW");
}

}  // namespace
}  // namespace spikenm::report
