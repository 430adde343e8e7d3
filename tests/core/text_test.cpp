#include "spikenm/core/text.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

TEST(Nearest, PicksTheSmallestEditDistance) {
  const std::vector<std::string> names{"train.lr", "train.epochs", "seed"};
  EXPECT_EQ(nearest("train.lrr", names), "train.lr");        // one added
  EXPECT_EQ(nearest("tran.epochs", names), "train.epochs");  // one dropped
  EXPECT_EQ(nearest("sead", names), "seed");                 // one replaced
}

TEST(Nearest, PrefersTheFirstOfEquals) {
  EXPECT_EQ(nearest("ab", {"ax", "ay"}), "ax");
}

TEST(Nearest, OfNothingIsEmpty) {
  EXPECT_EQ(nearest("a", {}), "");
}

TEST(Nearest, TakesAnEmptyName) {
  EXPECT_EQ(nearest("", {"long", "a"}), "a");
}

TEST(Nearest, TakesALongNameInShortTime) {
  const std::vector<std::string> names(1000, std::string(30, 'x'));
  EXPECT_EQ(nearest(std::string(10'000'000, 'x'), names), names.front());
}

TEST(Nearest, FindsTheLastPartInAnySection) {
  const std::vector<std::string> keys{"seed",     "model.T",      "data.name",
                                      "train.lr", "train.epochs", "method.name"};
  EXPECT_EQ(nearest("lr", keys), "train.lr");
  EXPECT_EQ(nearest("data.lr", keys), "train.lr");
  EXPECT_EQ(nearest("epoch", keys), "train.epochs");
  EXPECT_EQ(nearest("methode.name", keys), "method.name");
  EXPECT_EQ(nearest("sead", keys), "seed");
  EXPECT_EQ(nearest("lr", {}), "");
}

TEST(GlobMatch, StarMatchesAnyRun) {
  EXPECT_TRUE(glob_match("conv*", "conv"));
  EXPECT_TRUE(glob_match("conv*", "conv12"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("*.weight", "layer1.0.weight"));
  EXPECT_FALSE(glob_match("conv*", "xconv1"));
}

TEST(GlobMatch, StarBacktracks) {
  EXPECT_TRUE(glob_match("a*b*c", "a.b.b.c"));
  EXPECT_TRUE(glob_match("*ab", "aab"));
  EXPECT_FALSE(glob_match("a*b*c", "a.c.b"));
}

TEST(GlobMatch, QuestionMarkMatchesOneCharacter) {
  EXPECT_TRUE(glob_match("conv?", "conv1"));
  EXPECT_FALSE(glob_match("conv?", "conv"));
  EXPECT_FALSE(glob_match("conv?", "conv12"));
}

TEST(GlobMatch, PlainTextMatchesWholeNamesOnly) {
  EXPECT_TRUE(glob_match("fc", "fc"));
  EXPECT_FALSE(glob_match("fc", "fc1"));
  EXPECT_FALSE(glob_match("fc1", "fc"));
  EXPECT_FALSE(glob_match("", "fc"));
  EXPECT_TRUE(glob_match("", ""));
}

TEST(GlobMatch, ManyStarsEndSoon) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(glob_match(pattern + "b", std::string(2000, 'a')));
}

TEST(Join, PutsTheSeparatorBetweenOnly) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
}

}  // namespace
}  // namespace spikenm
