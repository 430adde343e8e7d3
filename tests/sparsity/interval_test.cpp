#include "spikenm/sparsity/interval.h"

#include "support/expect_error.h"
#include "support/small_network.h"

#include <gtest/gtest.h>

namespace spikenm::sparsity {
namespace {

using test::method_on, test::small_network;

const StepsKey kEvery{"every", "3%", "how often"};

Interval read(const std::string& value) {
  const Config config = Config::from_text("[method]\nevery = " + value, "test");
  return read_interval(config.section("method"), kEvery);
}

TEST(Interval, AWholeNumberIsStepsHoweverLongTheSearch) {
  const Interval found = read("20");
  for (const int64_t search : {1, 19, 20, 1'000'000}) EXPECT_EQ(found.steps(search), 20) << search;
  EXPECT_EQ(found.text(), "20");
  EXPECT_EQ(found.key, "method.every");
}

TEST(Interval, AShareIsRoundedAndAtLeastOneStep) {
  const Interval found = read("\"3%\"");
  EXPECT_EQ(found.steps(1000), 30);
  EXPECT_EQ(found.steps(1010), 30);  // 30.3
  EXPECT_EQ(found.steps(1020), 31);  // 30.6
  EXPECT_EQ(found.steps(50), 2);     // 1.5
  EXPECT_EQ(found.steps(10), 1);     // 0.3
  EXPECT_EQ(found.steps(0), 1);
  EXPECT_EQ(found.text(), "3%");
  EXPECT_EQ(read("\"0.6%\"").steps(2000), 12);
  EXPECT_EQ(read("\"100%\"").steps(7), 7);
}

TEST(Interval, TheFallbackIsRecordedAsAConfigGivesIt) {
  const Config config;
  EXPECT_EQ(read_interval(config, StepsKey{"every", "0.6%", "how often"}).steps(1000), 6);
  EXPECT_EQ(read_interval(config, StepsKey{"other", 5, "how often"}).steps(1000), 5);
  EXPECT_EQ(config.resolved_toml(), "every = \"0.6%\"\nother = 5\n");
}

TEST(Interval, AShareMayBeWrittenWithAnExponent) {
  EXPECT_EQ(read("\"1e-9%\"").percent, 1e-9);
  EXPECT_EQ(read("\"5E1%\"").steps(1000), 500);
}

TEST(Interval, WhatIsNeitherIsRefused) {
  for (const char* value : {"0", "-3"}) EXPECT_ERROR(read(value), "method.every", value, "1 step");
  for (const char* value : {"3", "%", "0%", "-1%", "101%", "three%", "3 %", "inf%", "nan%", "3%%"})
    EXPECT_ERROR(read('"' + std::string(value) + '"'), "method.every", value, "share");
  for (const char* value : {"0.5", "true", "[1]"})
    EXPECT_ERROR(read(value), "method.every", value, "a whole number, or text");
}

// What a method says of a search of so many steps; empty: nothing.
std::string doubts(const std::string& name, const std::string& toml, int64_t search_steps) {
  const auto network = small_network();
  std::string all;
  for (const std::string& doubt : method_on(*network, name, toml)->doubts(search_steps))
    all += doubt;
  return all;
}

void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

TEST(Doubts, ARewiringThatNeverHappensIsOne) {
  EXPECT_EQ(doubts("rewire", "every = 100", 101), "");
  // At step 100 of 100 the share of blocks that change has fallen to 0.
  expect_parts(doubts("rewire", "every = 100", 100), {"every", "100", "never rewired"});
  EXPECT_EQ(doubts("rewire", "", 2), "");  // 3 % of 2 is one step
  expect_parts(doubts("rewire", "", 1), {"every", "3%", "1 steps", "never rewired"});
}

TEST(Doubts, AGradualMaskThatEndsAboveNIsOne) {
  EXPECT_EQ(doubts("gradual", "mask_every = 20", 200), "");
  expect_parts(doubts("gradual", "mask_every = 20\npattern = \"2:8\"", 20),
               {"mask_every", "20", "step 0", "8 of 8", "conv2"});
  // Choices at 0 and 60 of 100: 2 + 6 (1 - 60/90)^3 = 2.2 is n, and 50 leaves 2 + 6 (4/9)^3 = 2.5.
  EXPECT_EQ(doubts("gradual", "mask_every = 60\npattern = \"2:8\"", 100), "");
  expect_parts(doubts("gradual", "mask_every = 50\npattern = \"2:8\"", 100), {"step 50", "3 of 8"});
  for (const int64_t search : {5, 9, 27, 1000}) EXPECT_EQ(doubts("gradual", "", search), "");
}

TEST(Doubts, AMaskDrawnOnceIsOne) {
  EXPECT_EQ(doubts("spikenm", "redraw_every = 50", 51), "");
  expect_parts(doubts("spikenm", "redraw_every = 50", 50), {"redraw_every", "50", "drawn once"});
  EXPECT_EQ(doubts("spikenm", "redraw_every = 1", 1), "");
}

TEST(Doubts, NoSearchIsOneForEveryMethodThatSearches) {
  for (const auto& row : methods().rows()) {
    const std::string found = doubts(row.name, "", 0);
    const bool searches = row.name != "dense" && row.name != "random";
    EXPECT_EQ(found.find("no search") != std::string::npos, searches) << row.name << ": " << found;
    EXPECT_EQ(doubts(row.name, "", 100), "") << row.name;
  }
}

TEST(Doubts, NeuronMasksPassOnWhatTheWeightsDoubt) {
  EXPECT_EQ(doubts("rewire", "granularity = \"weight+neuron\"", 100), "");
  expect_parts(doubts("rewire", "granularity = \"weight+neuron\"\nevery = 200", 100),
               {"never rewired"});
}

}  // namespace
}  // namespace spikenm::sparsity
