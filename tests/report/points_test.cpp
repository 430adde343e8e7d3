#include "spikenm/report/points.h"

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

}  // namespace
}  // namespace spikenm::report
