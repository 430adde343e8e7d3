#include "spikenm/report/html_page.h"

#include "support/report_runs.h"

#include <gtest/gtest.h>

namespace spikenm::report {
namespace {

TEST(HtmlPage, ShowsRunsAndLoadsNothing) {
  test::ReportRuns made;
  const report::Run run =
      made.add("a", 0, "dense", "{\"epoch\": 1, \"loss\": 2}\n{\"epoch\": 2, \"loss\": 1}\n",
               R"(, "test_confusion": [[5, 1], [0, 6]], "firing_rate": {"lif1": 0.25},
                              "warnings": ["slow"], "versions": {"spikenm": "9"}, "data": "toys")");
  const std::string page = html_page(
      {.title = "two", .runs = {run}, .rows = paper_rows({run}, {}), .spikes = {}, .notes = {}});
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* part : {"<h1>two</h1>", "id=\"table\"", "test acc %", "50.00", "learning curves",
                           "confusion: dense", "firing rate of each layer", "warning: slow",
                           "&quot;spikenm&quot;: &quot;9&quot;", "default-src 'none'"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* load : {"src=\"http", "href=\"http", "url(", "@import", "<link"})
    EXPECT_EQ(page.find(load), std::string::npos) << load;
}

TEST(HtmlPage, TextOfRunsIsEscaped) {
  test::ReportRuns made;
  const report::Run run = made.add("<b>", 0, "dense", "", R"(, "warnings": ["<script>x</script>"],
                           "versions": "<i>", "data": "<img src=x>", "model": "\u0000&")");
  const std::string page = html_page({.title = "<title>",
                                      .runs = {run},
                                      .rows = paper_rows({run}, {}),
                                      .spikes = {},
                                      .notes = {"</style>"}});
  for (const char* raw : {"<b>", "<script>x", "<i>", "<img", "<h1><title>", "\n</style></"})
    EXPECT_EQ(page.find(raw), std::string::npos) << raw;
  EXPECT_EQ(page.find('\0'), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;x"), std::string::npos);
}

TEST(HtmlPage, SaysWhichRunsHaveNoConfusionInCommon) {
  test::ReportRuns made;
  const report::Run a =
      made.add("first", 0, "dense", "", R"(, "test_confusion": [[5, 1], [0, 6]])");
  const report::Run b = made.add("second", 1, "dense", "",
                                 R"(, "test_confusion": [[1, 0, 0], [0, 1, 0], [0, 0, 1]])");
  const std::string page = html_page(
      {.title = "t", .runs = {a, b}, .rows = paper_rows({a, b}, {}), .spikes = {}, .notes = {}});
  for (const char* part : {"found 2 classes in ", "/first and 3 in ", "id=\"runs\""})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(HtmlPage, ARunThatHasNotEndedIsShownToo) {
  test::ReportRuns made;
  const report::Run run = made.add("a", 0, "dense", "");
  std::filesystem::remove(run.folder / "result.json");
  const std::string page = html_page(
      {.title = "t", .runs = {read_begun_run(run.folder)}, .rows = {}, .spikes = {}, .notes = {}});
  EXPECT_NE(page.find("No run has ended yet."), std::string::npos);
  EXPECT_NE(page.find("found no run with a finished epoch"), std::string::npos);
}

}  // namespace
}  // namespace spikenm::report
