#include "spikenm/core/key.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm {
namespace {

const IntKey kWidth{"width", 64, 1, 4096, "channels of the first convolution"};
const RealKey kAlpha{"alpha", Varies{"depends on surrogate"}, 1e-6, 1e6, "slope"};
const RealKey kRate{"rate", {0.05, "0.001 with preset = \"paper\""}, 0, kMostNumber, "rate"};
const ChoiceKey kReset{"reset", "hard", {"hard", "soft"}, "what a spike leaves"};
const NumberKey kVReset{"v_reset", 0.0, "membrane after a spike", "with reset = \"hard\""};
const IntRangeListKey kHidden{
    "hidden", std::vector<int64_t>{256}, {1, kMostWhole}, "features of layers"};
const RealRangeListKey kShares{"shares", std::vector<double>{0.5}, {0, 1, true}, "shares"};
const RealRangeListKey kScale{"scale", Varies{"depends"}, {0, kMostNumber, true}, "scales"};
const TextListKey kLayers{"layers", std::vector<std::string>{"*"}, "globs of layers"};
const StepsKey kEvery{"every", "3%", "how often"};
const PathKey kFile{"file", "a file"};
const TableKey kOwn{"own", "patterns by layer"};

Config read(const std::string& text) {
  return Config::from_text("[model]\n" + text, "test").section("model");
}

TEST(Key, SaysWhatItMayBe) {
  EXPECT_EQ(kWidth.name, "width");
  EXPECT_EQ(kWidth.type, KeyType::kWhole);
  EXPECT_EQ(kWidth.fallback, "64");
  EXPECT_EQ(kWidth.low, "1");
  EXPECT_EQ(kWidth.high, "4096");
  EXPECT_EQ(kWidth.what, "channels of the first convolution");
  EXPECT_EQ(kWidth.condition, "");
  EXPECT_EQ(kRate.high, "1e+30");
  EXPECT_EQ(kReset.choices, (std::vector<std::string>{"hard", "soft"}));
  EXPECT_EQ(kVReset.condition, "with reset = \"hard\"");
  EXPECT_EQ(kVReset.low, "");
}

TEST(Key, ItsDefaultIsWrittenAsAConfigWouldGiveIt) {
  EXPECT_EQ(kReset.fallback, "\"hard\"");
  EXPECT_EQ(kVReset.fallback, "0.0");
  EXPECT_EQ(kLayers.fallback, "[\"*\"]");
  EXPECT_EQ(kEvery.fallback, "\"3%\"");
  EXPECT_EQ(kFile.fallback, "");
  EXPECT_EQ(kAlpha.fallback, "");
  EXPECT_EQ(kAlpha.varies, "depends on surrogate");
  EXPECT_EQ(kRate.fallback, "0.05");
  EXPECT_EQ(kRate.varies, "0.001 with preset = \"paper\"");
}

TEST(Key, ReadsAsTheConfigDoes) {
  const Config config = read("width = 8\nreset = 'soft'\nown.a = '2:4'");
  EXPECT_EQ(kWidth.read(config), 8);
  EXPECT_EQ(kReset.read(config), 1U);
  EXPECT_EQ(kVReset.read(config), 0);
  EXPECT_EQ(kAlpha.read(config, 2), 2);
  EXPECT_EQ(kRate.read(config), 0.05);
  EXPECT_EQ(kLayers.read(config), std::vector<std::string>{"*"});
  EXPECT_EQ(std::get<std::string>(kEvery.read(config)), "3%");
  EXPECT_EQ(kFile.read(config), "");
  EXPECT_EQ(kOwn.read(config).front().second, "2:4");
  EXPECT_EQ(config.resolved_toml(),
            "\n[model]\nwidth = 8\nreset = \"soft\"\nv_reset = 0.0\nalpha = 2.0\nrate = 0.05\n"
            "layers = [\"*\"]\nevery = \"3%\"\nown.a = \"2:4\"\n");
}

TEST(Key, RefusesWhatTheConfigRefuses) {
  EXPECT_ERROR(kWidth.read(read("width = 0")), "model.width: found 0, wanted 1 to 4096");
  EXPECT_ERROR(kWidth.read(read("width = 'a'")), "model.width: found \"a\" (text)");
  EXPECT_ERROR(kReset.read(read("reset = 'no'")), "model.reset: found 'no'", "hard, soft");
  EXPECT_ERROR(kAlpha.read(read("alpha = 0"), 2), "model.alpha: found 0, wanted 1e-06 to 1e+06");
}

TEST(Key, EachNumberOfAListLiesWithinItsBounds) {
  EXPECT_EQ(kHidden.low, "1");
  EXPECT_FALSE(kHidden.open);
  EXPECT_TRUE(kShares.open);
  EXPECT_EQ(kHidden.read(read("hidden = [1, 7]")), (std::vector<int64_t>{1, 7}));
  EXPECT_EQ(kHidden.read(read("")), std::vector<int64_t>{256});
  EXPECT_EQ(kScale.read(read(""), {2}), std::vector<double>{2});
  EXPECT_ERROR(kHidden.read(read("hidden = [5, 0]")), "model.hidden: found 0, wanted 1 or more");
  EXPECT_ERROR(kHidden.read(read("hidden = [3000000000]")),
               "found 3000000000, wanted at most 2147483647");
  EXPECT_ERROR(kShares.read(read("shares = [0.5, 1]")),
               "model.shares: found 1, wanted more than 0 and less than 1");
  EXPECT_ERROR(kShares.read(read("shares = [0.0]")), "found 0, wanted more than 0");
  EXPECT_ERROR(kScale.read(read("scale = [0.0]"), {1}), "found 0, wanted more than 0");
}

TEST(Key, AnotherKeyMayNarrowItsRange) {
  EXPECT_ERROR(kWidth.read_within(read("width = 9"), 4, 1, 8), "found 9, wanted 1 to 8");
  EXPECT_EQ(kReset.read(Config(), 1), 1U);
}

TEST(Key, EveryTypeHasAName) {
  for (int type = 0; type <= static_cast<int>(KeyType::kTable); ++type)
    EXPECT_STRNE(type_name(static_cast<KeyType>(type)), "");
}

}  // namespace
}  // namespace spikenm
