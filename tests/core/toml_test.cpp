#include "spikenm/core/toml.h"

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

}  // namespace
}  // namespace spikenm
