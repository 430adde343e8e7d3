#include "spikenm/report/run_groups.h"

#include "support/report_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

TEST(RunGroups, SeedsAreOneGroupAndNamesTellGroupsApart) {
  test::ReportRuns made;
  std::vector<report::Run> runs{made.add("a", 0, "spikenm", ""), made.add("b", 1, "spikenm", ""),
                                made.add("c", 0, "spikenm", ""), made.add("d", 0, "dense", "")};
  for (report::Run& run : runs) run.config["method"]["tau_max"] = 1;
  runs[2].config["method"]["tau_max"] = 0.5;
  const std::vector<RunGroup> groups = group_runs(runs);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].runs.size(), 2u);
  EXPECT_EQ(groups[0].name, "spikenm tau_max=1");
  EXPECT_EQ(groups[1].name, "spikenm tau_max=0.5");
  EXPECT_EQ(groups[2].name, "dense");
}

TEST(RunGroups, ARunThatHasNotEndedIsNamedByItsConfig) {
  report::Run run{.folder = "x",
                  .config = {{"method", {{"name", "spikenm"}, {"pattern", "2:8"}}}},
                  .result = Json::object()};
  EXPECT_EQ(short_name(run), "spikenm 2:8");
  run.config = Json::object();
  EXPECT_EQ(short_name(run), "dense");
}

TEST(RunGroups, TheNoteSaysWhatBarsAreAndOfHowManyRuns) {
  EXPECT_EQ(spread_note("bars", {3, 3}),
            "points: means; bars: ± one sample standard deviation, n = 3 runs");
  EXPECT_EQ(spread_note("bars", {1}), "n = 1 run: no bars");
  EXPECT_NE(spread_note("bars", {1, 4}).find("n = 1 to 4 runs"), std::string::npos);
}

}  // namespace
}  // namespace spikenm::report
