#include "spikenm/report/curves.h"

#include "support/expect_error.h"
#include "support/report_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

constexpr const char* kTwoEpochs =
    "{\"epoch\": 1, \"loss\": 2.0, \"seconds\": 9, \"firing_rate\": {\"lif\": 1, \"mean\": 0.25}}\n"
    "{\"epoch\": 2, \"loss\": 1.0, \"seconds\": 9, \"firing_rate\": {\"lif\": 1, \"mean\": 0.5}}\n";

TEST(Curves, EachNumberIsAPlotAndSeedsAreOneCurve) {
  test::ReportRuns runs;
  const std::vector<report::Run> all{
      runs.add("a", 0, "dense", kTwoEpochs),
      runs.add("b", 1, "dense", "{\"epoch\": 1, \"loss\": 4.0}\n{\"epoch\": 2, \"loss\": 1.0}\n"),
      runs.add("c", 0, "random", kTwoEpochs)};
  const std::vector<Plot> plots = curve_plots(all);
  ASSERT_EQ(plots.size(), 2u);  // seconds are no learning curve
  EXPECT_EQ(plots[0].title, "training loss");
  EXPECT_EQ(plots[1].title, "firing rate, mean of all neurons");
  ASSERT_EQ(plots[0].series.size(), 2u);
  const Series& dense = plots[0].series[0];
  EXPECT_EQ(dense.name, "dense");
  EXPECT_TRUE(dense.band);
  ASSERT_EQ(dense.values.size(), 2u);
  EXPECT_EQ(dense.values[0].y, 3);
  EXPECT_NEAR(*dense.values[0].spread, std::sqrt(2.0), 1e-12);
  EXPECT_EQ(plots[1].series[0].values[1].y, 0.5);
  EXPECT_NE(plots.back().note.find("n = 1 to 2 runs"), std::string::npos) << plots.back().note;
  EXPECT_TRUE(curves_svg("title", all).starts_with("<svg"));
}

TEST(Curves, WhatAMethodAddsHasANameInWords) {
  test::ReportRuns runs;
  const std::vector<Plot> plots = curve_plots({runs.add(
      "a", 0, "spikenm", "{\"epoch\": 1, \"noise\": 0.3, \"logit_grad_eid\": 1, \"own\": 2}\n")});
  ASSERT_EQ(plots.size(), 3u);
  EXPECT_EQ(plots[0].title, "noise of the draws");
  EXPECT_EQ(plots[1].title, "pull of the credits on the logits: norm of its gradient");
  EXPECT_EQ(plots[2].title, "own");
}

TEST(Curves, ALineThatIsBeingWrittenIsLeftOut) {
  test::ReportRuns runs;
  const report::Run run = runs.add("a", 0, "dense", std::string(kTwoEpochs));
  append_to_file(run.folder / "metrics.jsonl", "{\"epoch\": 3, \"lo");
  EXPECT_EQ(read_metrics(run.folder).size(), 2u);
}

TEST(Curves, ARunWithoutEpochsHasNone) {
  test::ReportRuns runs;
  EXPECT_ERROR(curve_plots({runs.add("a", 0, "dense", "")}), "no run with a finished epoch");
}

}  // namespace
}  // namespace spikenm::report
