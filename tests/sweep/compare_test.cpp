#include "spikenm/sweep/compare.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::sweep {
namespace {

// dense outside the grid; ours and control at 2:4 and 2:16.
struct Example {
  Example() {
    spec.grid = {{"method.pattern", {"2:4", "2:16"}}};
    for (const char* name : {"dense", "ours", "control"}) {
      Member& member = spec.members.emplace_back();
      member.name = name;
      member.in_grid = member.name != "dense";
    }
    expand(spec);
  }

  // One run for each of the seeds 3, 4, … .
  void add(const std::string& row, const std::vector<double>& accuracies,
           const std::string& build = "b1") {
    size_t member = 0;
    while (spec.members[member].name != row) ++member;
    for (size_t i = 0; i < accuracies.size(); ++i) {
      MemberRun run{.member = member, .seed = static_cast<int64_t>(3 + i), .run = {}};
      run.run.result = {{"test_accuracy", accuracies[i]},
                        {"val_accuracy", accuracies[i] + 1},
                        {"versions", {{"build", build}}}};
      runs.push_back(run);
    }
  }

  std::vector<Comparison> against(const std::string& name) {
    groups = groups_of(spec, runs);
    return compare(groups, name);
  }

  Spec spec;
  std::vector<MemberRun> runs;
  std::vector<Group> groups;
};

TEST(Compare, TheDifferenceIsOfPairsAndItsIntervalIsStudents) {
  Example e;
  e.add("dense", {90, 91, 89});
  e.add("ours,pattern=2:4", {91, 92.5, 89.5});
  const auto found = e.against("dense");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row->name, "ours,pattern=2:4");
  ASSERT_TRUE(found[0].test && found[0].test->half_width);
  EXPECT_NEAR(found[0].test->mean, 1.0, 1e-12);  // 1, 1.5, 0.5
  EXPECT_NEAR(*found[0].test->half_width, 4.3027 * 0.5 / 1.7320508, 1e-4);
  EXPECT_EQ(found[0].test->seeds, 3u);
  EXPECT_NEAR(found[0].validation->mean, 1.0, 1e-12);
  EXPECT_EQ(found[0].verdict, Verdict::kNotToldApart);  // 1 ± 1.24
}

TEST(Compare, AVerdictNeedsTheWholeIntervalOnOneSideOfZero) {
  Example e;
  e.add("dense", {90, 91, 89});
  e.add("ours,pattern=2:4", {91, 92.1, 90});
  e.add("control,pattern=2:4", {88, 89.1, 87});
  const auto found = e.against("dense");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].verdict, Verdict::kBetter);
  EXPECT_EQ(found[1].verdict, Verdict::kWorse);
}

TEST(Compare, AListedMemberIsComparedWithAtTheSamePointOfTheGrid) {
  Example e;
  e.add("dense", {95, 95});
  e.add("ours,pattern=2:4", {91, 92});
  e.add("ours,pattern=2:16", {81, 82});
  e.add("control,pattern=2:4", {90, 91});
  e.add("control,pattern=2:16", {80, 80.5});
  const auto found = e.against("control");
  ASSERT_EQ(found.size(), 2u);  // neither dense nor the control itself
  EXPECT_EQ(found[0].against->name, "control,pattern=2:4");
  EXPECT_NEAR(found[0].test->mean, 1, 1e-12);
  EXPECT_EQ(found[1].against->name, "control,pattern=2:16");
  EXPECT_NEAR(found[1].test->mean, 1.25, 1e-12);
  const auto one_row = e.against("control,pattern=2:4");
  EXPECT_EQ(one_row.size(), 4u);  // all but itself
}

TEST(Compare, OnlySeedsThatBothHaveCountAndOneIsTooFew) {
  Example e;
  e.add("dense", {90});
  e.add("ours,pattern=2:4", {91, 99, 99});
  const auto found = e.against("dense");
  EXPECT_EQ(found[0].test->mean, 1);
  EXPECT_EQ(found[0].test->seeds, 1u);
  EXPECT_FALSE(found[0].test->half_width);
  EXPECT_EQ(found[0].verdict, Verdict::kTooFewSeeds);
}

TEST(Compare, RunsOfDifferentBuildsAreNotPaired) {
  Example e;
  e.add("dense", {90, 91}, "b1");
  e.add("ours,pattern=2:4", {91, 92}, "b2");
  EXPECT_ERROR(e.against("dense"), "--against", "ours,pattern=2:4 seed 3", "build b2", "build b1",
               "one build");
  // Another build for another seed is no matter: pairs are of one build.
  Example other;
  other.add("dense", {90}, "b1");
  other.add("ours,pattern=2:4", {91, 92}, "b1");
  other.runs.back().run.result["versions"]["build"] = "b2";
  EXPECT_EQ(other.against("dense").size(), 1u);
}

TEST(Compare, AnUnknownRowIsAnErrorWithTheNearest) {
  Example e;
  e.add("dense", {90});
  EXPECT_ERROR(e.against("denes"), "--against", "denes", "nearest is dense");
}

TEST(Compare, PooledRunsOfASeedAreOneMeasurement) {
  Example e;
  e.add("dense", {90, 90});
  e.add("ours,pattern=2:4", {91, 92});
  e.add("ours,pattern=2:4", {93, 94});  // another draw of the same seeds
  const auto found = e.against("dense");
  EXPECT_NEAR(found[0].test->mean, 2.5, 1e-12);
  EXPECT_EQ(found[0].test->seeds, 2u);
}

TEST(Compare, TableAndCsvSayTheSame) {
  Example e;
  e.add("dense", {90, 91, 89});
  e.add("ours,pattern=2:4", {91, 92.1, 90});
  const auto found = e.against("dense");
  const std::string table = comparison_table(found), csv = comparison_csv(found);
  EXPECT_NE(table.find("+1.03 ± 0.14"), std::string::npos) << table;
  EXPECT_NE(table.find("better"), std::string::npos) << table;
  EXPECT_NE(csv.find("\"ours,pattern=2:4\",dense,3,1.03"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",better\n"), std::string::npos) << csv;
}

}  // namespace
}  // namespace spikenm::sweep
