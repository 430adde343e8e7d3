#include "spikenm/core/toml.h"

#include "support/cpu_clock.h"
#include "support/expect_error.h"

namespace spikenm {
namespace {

using Flat = std::vector<std::pair<std::string, Json>>;

TEST(Toml, BecomesJsonInTheOrderOfTheFile) {
  const Json found = parse_toml(R"(
    z = 1
    a = [0.5, "x", true]
    [t]
    "k.l" = -3
    [[list]]
    name = "A"
    [[list]]
    name = "B"
  )",
                                "test.toml");
  EXPECT_EQ(found.dump(),
            R"({"z":1,"a":[0.5,"x",true],"t":{"k.l":-3},"list":[{"name":"A"},{"name":"B"}]})");
}

TEST(Toml, DatesAndBadTextAreRefused) {
  EXPECT_ERROR(parse_toml("[a]\nb = [1, 2024-01-01]", "test.toml"), "a.b: found a date");
  EXPECT_ERROR(parse_toml("a = 1\nb = ", "test.toml"), "test.toml:2:", "not valid TOML");
}

TEST(Toml, AValueIsParsedOrIsNone) {
  EXPECT_EQ(parse_toml_value("1e-3", "k"), Json(1e-3));
  EXPECT_EQ(parse_toml_value("[1, \"a\"]", "k"), Json({1, "a"}));
  EXPECT_EQ(parse_toml_value("2:4", "k"), std::nullopt);
  EXPECT_EQ(parse_toml_value("", "k"), std::nullopt);
  EXPECT_ERROR(parse_toml_value("2024-01-01", "k"), "k: found a date");
}

TEST(Toml, TablesFlattenToDottedKeys) {
  const Json tables = parse_toml("a = 1\n[b]\nc = [2]\n[b.d]\ne = \"x\"\n[empty]", "test.toml");
  EXPECT_EQ(flatten_tables(tables), (Flat{{"a", 1}, {"b.c", Json::array({2})}, {"b.d.e", "x"}}));
}

TEST(Toml, NestingThatWouldEndTheParserIsRefused) {
  const auto many = [](const std::string& part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  constexpr int kMany = 30'000;
  for (const std::string& text :
       {many("a.", kMany) + "a = 1", "[" + many("a.", kMany) + "a]",
        "[[" + many("a.", kMany) + "a]]", "x = " + many("{a=", kMany) + "1" + many("}", kMany),
        "x = " + many("[", kMany) + many("]", kMany), "x = {" + many("a.", kMany) + "b = 1}"})
    EXPECT_ERROR(parse_toml(text, "deep.toml"), "deep.toml:1: ", "64 deep");
  EXPECT_ERROR(parse_toml_value(many("[", kMany) + many("]", kMany), "k"), "k:1: ", "64 deep");
  EXPECT_ERROR(parse_toml_value("1\n" + many("a.", kMany) + "a = 1", "k"), "k:2: ", "64 deep");
  EXPECT_EQ(parse_toml_value(many("../", kMany), "k"), std::nullopt);
}

TEST(Toml, ManyKeysTakeLinearTime) {
  constexpr int kMany = 100'000;
  std::string text = "[a]\n";
  for (int i = 0; i < kMany; ++i) text += fmt::format("key{} = {}\n", i, i);
  const test::CpuClock clock;
  const Flat found = flatten_tables(parse_toml(text, "wide.toml"));
  EXPECT_LT(clock.seconds(), 30);  // a tenth of that, or minutes if each key looks at all others
  ASSERT_EQ(found.size(), static_cast<size_t>(kMany));
  EXPECT_EQ(found.back(), (Flat::value_type{"a.key99999", 99999}));
}

}  // namespace
}  // namespace spikenm
