#include "spikenm/core/json_text.h"

#include "support/cpu_clock.h"
#include "support/expect_error.h"

namespace spikenm {
namespace {

TEST(JsonText, GivesTheObjectInTheOrderOfTheText) {
  const std::string text =
      R"({"z":1,"a":[-2,0.5,null,true,[],{}],"s":"\u0394\n","o":{"k":{"l":18446744073709551615}}})";
  EXPECT_EQ(parse_json_object(text, "j"), Json::parse(text));
  EXPECT_EQ(parse_json_object(" {} \n\t", "j"), Json::object());
}

TEST(JsonText, AnythingElseThanOneObjectIsRefused) {
  for (const std::string text :
       {"", "{", "{}x", "{}{}", "\xff", "{\"a\":\"\xff\"}", "{\"a\"}", "nan"})
    EXPECT_ERROR(parse_json_object(text, "j"), "j: found broken JSON, wanted a JSON object");
  EXPECT_ERROR(parse_json_object("[]", "j"), "j: found array, wanted a JSON object");
  EXPECT_ERROR(parse_json_object("1", "j"), "j: found number, wanted a JSON object");
}

TEST(JsonText, ANulIsNotTheEnd) {
  using namespace std::string_literals;
  for (const std::string& text : {"{}\0"s, "{}\0\0{}"s, "{}\0garbage"s, "\0{}"s, "{\"a\":\0 1}"s})
    EXPECT_ERROR(parse_json_object(text, "j"), "j: found a NUL at byte ", "wanted a JSON object");
  EXPECT_ERROR(parse_json_object("{}\0"s, "j"), "at byte 2");
}

TEST(JsonText, AKeyGivenTwiceIsRefused) {
  EXPECT_ERROR(parse_json_object(R"({"a":1,"b":2,"a":1})", "j"), "j: found the key 'a' twice");
  EXPECT_ERROR(parse_json_object(R"({"o":[{"a":1,"\u0061":2}]})", "j"), "'a' twice");
  EXPECT_EQ(parse_json_object(R"({"a":{"a":1},"b":{"a":2}})", "j").size(), 2u);
}

TEST(JsonText, DeepNestingIsRefused) {
  constexpr size_t kMany = 1'000'000;
  const auto nested = [](size_t n) {
    return "{\"a\":" + std::string(n, '[') + std::string(n, ']') + "}";
  };
  EXPECT_EQ(parse_json_object(nested(kDeepestJson - 1), "j").size(), 1u);
  EXPECT_ERROR(parse_json_object(nested(kDeepestJson), "j"), "j: found JSON more than 64",
               "wanted at most 64 (a fixed limit)");
  EXPECT_ERROR(parse_json_object(nested(kMany), "j"), "j: found JSON more than 64");
  EXPECT_ERROR(parse_json_object(std::string(kMany, '['), "j"), "j: found JSON more than 64");
  std::string objects;
  for (size_t i = 0; i < kMany; ++i) objects += "{\"a\":";
  EXPECT_ERROR(parse_json_object(objects, "j"), "j: found JSON more than 64");
}

TEST(JsonText, MoreValuesThanAnyFileNeedsAreRefused) {
  const auto text = [](int64_t n_values) {
    std::string list = "{\"a\":[1";
    for (int64_t i = 3; i < n_values; ++i) list += ",1";
    return list + "]}";
  };
  EXPECT_EQ(parse_json_object(text(1000), "r.json").at("a").size(), 998U);
  EXPECT_ERROR(parse_json_object(text(4'000'001), "r.json"),
               "r.json: found JSON of more than 4000000 values", "(a fixed limit)");
}

TEST(JsonText, ManyKeysTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += fmt::format("\"key{}\":{},", i, i);
  text += "\"last\":0}";
  const test::CpuClock clock;
  EXPECT_EQ(parse_json_object(text, "j").size(), 300'001u);
  EXPECT_LT(clock.seconds(), 30);  // a tenth of that, or minutes if each key looks at all others
}

}  // namespace
}  // namespace spikenm
