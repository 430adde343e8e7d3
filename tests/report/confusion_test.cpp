#include "spikenm/report/confusion.h"

#include "support/expect_error.h"
#include "support/report_runs.h"

namespace spikenm::report {
namespace {

TEST(Confusion, IsReadFromTheResultAndAddedUp) {
  test::ReportRuns runs;
  const report::Run a = runs.add("a", 0, "dense", "", R"(, "test_confusion": [[5, 1], [0, 6]])");
  const Confusion one = read_confusion(a), two = sum_of({one, one});
  EXPECT_EQ(one.classes, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(two.counts, (std::vector<std::vector<int64_t>>{{10, 2}, {0, 12}}));
  const std::string svg = confusion_svg("a & b", two);
  for (const char* part : {">10<", ">12<", ">2<", "a &amp; b", "taken for"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

TEST(Confusion, RunsOfOtherClassesAreNamed) {
  test::ReportRuns runs;
  Confusion a =
      read_confusion(runs.add("first", 0, "dense", "", R"(, "test_confusion": [[5, 1], [0, 6]])"));
  const Confusion b = read_confusion(runs.add(
      "second", 1, "dense", "", R"(, "test_confusion": [[1, 0, 0], [0, 1, 0], [0, 0, 1]])"));
  EXPECT_ERROR(sum_of({a, b}), "found 2 classes in ", "/first and 3 in ", "/second");
  Confusion c = a;
  c.classes[1] = "dog";
  c.run = "third";
  EXPECT_ERROR(sum_of({a, c}), "found class 1 as '1' in ", "/first and as 'dog' in third");
}

TEST(Confusion, ResultsWithoutGoodCountsAreRefused) {
  test::ReportRuns runs;
  EXPECT_ERROR(read_confusion(runs.add("a", 0, "dense", "")), "result.json", "test_confusion");
  for (const char* bad : {"[]", "[[1, 2]]", "[[-1]]", "[[\"x\"]]", "3"})
    EXPECT_ERROR(
        read_confusion(runs.add("b", 0, "dense", "", fmt::format(", \"test_confusion\": {}", bad))),
        "no square of counts");
}

}  // namespace
}  // namespace spikenm::report
