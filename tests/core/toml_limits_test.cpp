#include "spikenm/core/toml_limits.h"

#include "support/expect_error.h"

namespace spikenm {
namespace {

std::string times(int64_t n, const std::string& part) {
  std::string text;
  for (int64_t i = 0; i < n; ++i) text += part;
  return text;
}

void expect_too_deep(const std::string& text, const char* where) {
  EXPECT_ERROR(check_toml_limits(text, "t"), where, "more than 64 deep",
               "wanted at most 64 (a fixed limit)");
}

TEST(TomlLimits, TheDeepestIsAllowedAndOneMoreIsNot) {
  constexpr int64_t kDots = kDeepestToml - 1;
  check_toml_limits(times(kDots, "a.") + "a = 1", "t");
  check_toml_limits("[" + times(kDots, "a.") + "a]", "t");
  check_toml_limits("x = " + times(kDots, "[") + times(kDots, "]"), "t");
  expect_too_deep(times(kDots + 1, "a.") + "a = 1", "t:1:");
  expect_too_deep("\n[" + times(kDots + 1, "a.") + "a]", "t:2:");
  expect_too_deep("x = " + times(kDots + 1, "["), "t:1:");
}

TEST(TomlLimits, HeadersKeysAndBracketsAddUp) {
  const std::string twenty = times(20, "a.") + "a";
  check_toml_limits("[" + twenty + "]\n" + twenty + " = {" + twenty + " = 1}\n", "t");
  expect_too_deep("[" + twenty + "]\n" + twenty + " = {" + twenty + " = [[[1]]]}\n", "t:2:");
  expect_too_deep(
      "[" + twenty + "]\nx = {" + twenty + " = [ # a comment\n {" + twenty + " = [[1]]}]}", "t:3:");
}

TEST(TomlLimits, WhatFollowsOneAnotherDoesNotAddUp) {
  check_toml_limits(times(1000, "[a.b.c]\nd.e = [1.5, {x.y = 2.5}, 3.5]\n"), "t");
  check_toml_limits("x = [" + times(1000, "0.5, [1.5], ") + "]", "t");
  const std::string deep = times(40, "a.") + "a";
  check_toml_limits("[" + deep + "]\n[" + deep + ".b]\n", "t");
}

TEST(TomlLimits, StringsAndCommentsHoldNothing) {
  const std::string dots = times(100, "[.{");
  check_toml_limits("# " + dots + "\na = \"" + dots + "\\\" " + dots + "\"\nb = '" + dots +
                        "\\'\n\"" + dots + "\" = 1\n",
                    "t");
  for (const std::string quotes : {"\"\"\"", "'''"}) {
    check_toml_limits("a = " + quotes + dots + "\n" + quotes[0] + " # " + dots + quotes + "\n",
                      "t");
    // A string may end in quotes of its own; what follows it counts again.
    for (int own = 0; own <= 2; ++own)
      expect_too_deep("a = [" + quotes + "x" + quotes + std::string(own, quotes[0]) + "," +
                          times(100, "[") + "'",
                      "t:1:");
  }
  expect_too_deep("a = \"not closed\n" + times(100, "b.") + " = 1", "t:2:");
}

TEST(TomlLimits, ThereIsALimitOnBytes) {
  check_toml_limits(std::string(kMostToml, ' '), "t");
  EXPECT_ERROR(check_toml_limits(std::string(kMostToml + 1, ' '), "t"),
               "t: found 4194305 bytes of TOML, wanted at most 4194304 (a fixed limit)");
}

TEST(TomlLimits, ThereIsALimitOnTables) {
  check_toml_limits(times(kMostTables, "[a]\n") + "x = [" + times(2 * kMostTables, "0.5, ") + "]",
                    "t");
  EXPECT_ERROR(check_toml_limits(times(kMostTables + 1, "[a]\n"), "t"), "t:", "10000 tables",
               "wanted at most 10000 (a fixed limit)");
  EXPECT_ERROR(check_toml_limits(times(kMostTables + 1, "a.b = 1\n"), "t"), "t:", "10000 tables");
  EXPECT_ERROR(check_toml_limits("x = [" + times(kMostTables + 1, "{a.b = 1},"), "t"),
               "t:1:", "10000 tables");
  // Half as many lines.
  EXPECT_ERROR(check_toml_limits(times(kMostTables / 2 + 1, "[[a.b]]\n"), "t"), "t:500",
               "10000 tables", "each part of a dotted name counted");
}

}  // namespace
}  // namespace spikenm
