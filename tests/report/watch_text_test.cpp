#include "spikenm/report/watch_text.h"

#include "spikenm/report/view_columns.h"
#include "support/report_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace spikenm::report {
namespace {

TEST(WatchText, ShowsTheNewestNumbersWithTheirCurves) {
  test::ReportRuns made;
  const report::Run run = made.add(
      "a", 0, "dense",
      "{\"epoch\": 1, \"phase\": \"search\", \"loss\": 2, \"firing_rate\": {\"lif1\": 0.1}}\n"
      "{\"epoch\": 2, \"phase\": \"search\", \"loss\": 1, \"firing_rate\": {\"lif1\": 0.2}}\n");
  const std::string text = watch_text(run, 80);
  EXPECT_NE(text.find("dense, finished, test accuracy 50.00 %\n"), std::string::npos) << text;
  EXPECT_NE(text.find("loss                      1  █▁\n"), std::string::npos) << text;
  EXPECT_NE(text.find("firing_rate lif1        0.2  ▁█\n"), std::string::npos) << text;
  std::filesystem::remove(run.folder / "result.json");
  EXPECT_NE(watch_text(read_begun_run(run.folder), 80).find("search, 2 epochs have ended"),
            std::string::npos);
}

TEST(WatchText, ShowsTheDensityOfEachLayer) {
  test::ReportRuns made;
  const report::Run run = made.add(
      "a", 0, "random",
      "{\"epoch\": 1, \"density\": 0.4, \"layer_density\": {\"conv2\": 0.5, \"fc1\": 0.25}}\n");
  const std::string text = watch_text(run, 80);
  EXPECT_NE(text.find("layer_density conv2        0.5  "), std::string::npos) << text;
  EXPECT_NE(text.find("layer_density fc1         0.25  "), std::string::npos) << text;
}

TEST(WatchText, OnALowTerminalTheLastLineSaysHowManyAreLeftOut) {
  test::ReportRuns made;
  const report::Run run = made.add(
      "a", 0, "random", "{\"epoch\": 1, \"loss\": 2, \"lr\": 1, \"a\": 1, \"b\": 1, \"c\": 1}\n");
  EXPECT_EQ(watch_text(run, 80, 6), watch_text(run, 80));
  const std::string low = watch_text(run, 80, 4);
  EXPECT_EQ(std::count(low.begin(), low.end(), '\n'), 4);
  EXPECT_NE(low.find("\nlr "), std::string::npos) << low;
  EXPECT_TRUE(low.ends_with("\n… 3 more\n")) << low;
  EXPECT_TRUE(watch_text(run, 80, 1).ends_with("\n… 5 more\n"));
}

TEST(WatchText, NoLineIsWiderThanTheTerminal) {
  test::ReportRuns made;
  std::string metrics;
  for (int epoch = 1; epoch <= 60; ++epoch)
    metrics +=
        fmt::format("{{\"epoch\": {}, \"loss\": {}, \"a long name of a number\": 1, \"lr\": 1}}\n",
                    epoch, epoch % 7);
  const report::Run run = made.add("a", 0, "random", metrics);
  for (const size_t width : std::initializer_list<size_t>{6, 12, 30, 44, 50, 80}) {
    std::istringstream lines(watch_text(run, width, /*most_lines=*/3));
    size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      EXPECT_LE(width_of(line), width) << width << ": " << line;
    EXPECT_EQ(count, 3u);
  }
  const std::string narrow = watch_text(run, 12);
  EXPECT_TRUE(narrow.substr(0, narrow.find('\n')).ends_with("…")) << narrow;
}

TEST(WatchText, ACurveIsAsWideAsItMayBe) {
  EXPECT_EQ(sparkline({}, 5), "");
  EXPECT_EQ(sparkline({3}, 5), "▁");
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 2), "▁█");
  EXPECT_EQ(sparkline({1e308, -1e308, 0}, 3), "█▁▅") << "their difference is not finite";
  EXPECT_EQ(sparkline({0, 5e-324}, 2), "▁▁") << "half of it is 0";
}

}  // namespace
}  // namespace spikenm::report
