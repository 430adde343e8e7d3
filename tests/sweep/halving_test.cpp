#include "spikenm/sweep/halving.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::sweep {
namespace {

// Members a, b, c, d at two points of a grid, and dense outside it.
Spec example() {
  Spec spec;
  spec.grid = {{"k", {"1", "2"}}};
  for (const char* name : {"dense", "a", "b", "c", "d"}) {
    Member& member = spec.members.emplace_back();
    member.name = name;
    member.in_grid = member.name != "dense";
  }
  expand(spec);
  return spec;
}

// One run per member with these validation accuracies; the test accuracies say the contrary.
std::vector<MemberRun> runs_with(const std::vector<double>& validation) {
  std::vector<MemberRun> runs;
  for (size_t i = 0; i < validation.size(); ++i) {
    MemberRun& run = runs.emplace_back(MemberRun{.member = i, .seed = 0, .run = {}});
    run.run.result = {{"val_accuracy", validation[i]}, {"test_accuracy", -validation[i]}};
  }
  return runs;
}

std::vector<std::string> names_of(const Spec& spec, const std::vector<bool>& alive) {
  std::vector<std::string> names;
  for (size_t i = 0; i < alive.size(); ++i)
    if (alive[i]) names.push_back(spec.members[i].name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Halving, RoundsDoubleTheSeedsUpToAll) {
  EXPECT_EQ(halving_rounds(1), (std::vector<size_t>{1}));
  EXPECT_EQ(halving_rounds(2), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(halving_rounds(5), (std::vector<size_t>{1, 2, 4, 5}));
}

// Order of members: dense, then a,k=1 a,k=2 b,k=1 … .
TEST(Halving, TheBetterHalfOfEachPointGoesOnByValidation) {
  const Spec spec = example();
  const std::vector<bool> all(spec.members.size(), true);
  const auto runs = runs_with({10, 80, 10, 70, 20, 60, 30, 50, 40});
  const auto once = better_half(spec, runs, all, "");
  EXPECT_EQ(names_of(spec, once), (Names{"dense", "a,k=1", "b,k=1", "c,k=2", "d,k=2"}));
  const auto twice = better_half(spec, runs, once, "");
  EXPECT_EQ(names_of(spec, twice), (Names{"dense", "a,k=1", "d,k=2"}));
  EXPECT_EQ(better_half(spec, runs, twice, ""), twice);  // one of each is left
}

TEST(Halving, ThePointsOfAGridAloneCompete) {
  Spec spec;
  spec.grid = {{"k", {"1", "2", "3"}}};
  expand(spec);
  const auto found = better_half(spec, runs_with({5, 9, 7}), {true, true, true}, "");
  EXPECT_EQ(names_of(spec, found), (Names{"k=2", "k=3"}));
}

TEST(Halving, ARowThatIsSparedGoesOnAndTakesNobodysPlace) {
  const Spec spec = example();
  const std::vector<bool> all(spec.members.size(), true);
  const auto found = better_half(spec, runs_with({10, 80, 10, 70, 20, 60, 30, 50, 40}), all, "d");
  EXPECT_EQ(names_of(spec, found),
            (Names{"dense", "a,k=1", "b,k=1", "b,k=2", "c,k=2", "d,k=1", "d,k=2"}));
}

TEST(Halving, ARowWithoutARunDoesNotGoOn) {
  const Spec spec = example();
  const std::vector<bool> all(spec.members.size(), true);
  auto runs = runs_with({10, 80, 10, 70, 20, 60, 30, 50, 40});
  runs.erase(runs.begin() + 1);  // a,k=1 failed
  const auto found = better_half(spec, runs, all, "");
  EXPECT_FALSE(found[1]);
  EXPECT_TRUE(found[3] && found[5]);  // two of the three that are left
}

TEST(Halving, WithoutValidationNothingCanBeChosen) {
  const Spec spec = example();
  auto runs = runs_with({10, 80, 10, 70, 20, 60, 30, 50, 40});
  runs[2].run.result.erase("val_accuracy");
  EXPECT_ERROR(better_half(spec, runs, std::vector<bool>(spec.members.size(), true), ""), "--halve",
               "a,k=2", "data.val_fraction");
}

}  // namespace
}  // namespace spikenm::sweep
