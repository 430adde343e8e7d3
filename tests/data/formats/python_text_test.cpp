#include "spikenm/data/formats/python_text.h"

#include "support/expect_error.h"

namespace spikenm::data {
namespace {

using namespace std::string_literals;

TEST(PythonText, QuotesAndEscapesAreUndone) {
  EXPECT_EQ(unquote_python("''", "a"), "");
  EXPECT_EQ(unquote_python("'ab'", "a"), "ab");
  EXPECT_EQ(unquote_python("\"it's\"", "a"), "it's");
  EXPECT_EQ(unquote_python(R"('\\ \' \" \n\r\t \x00\xfF')", "a"), "\\ ' \" \n\r\t \0\xff"s);
}

TEST(PythonText, BadLiteralsAreRefused) {
  for (const char* literal : {"", "'", "ab", "'ab", "'ab\"", R"('\q')", R"('\x1')", R"('\xg0')",
                              R"('\x')", R"('\')", R"('\x-1')"})
    EXPECT_ERROR(unquote_python(literal, "a"), "a: damaged");
}

TEST(PythonText, EscapedCharactersBecomeUtf8) {
  EXPECT_EQ(utf8_of_escaped("", "a"), "");
  EXPECT_EQ(utf8_of_escaped("a\\n\xe9", "a"), "a\\n\xc3\xa9");  // only \u and \U are escapes
  EXPECT_EQ(utf8_of_escaped(R"(\u0000\u005c\u07ff\u20ac\U0001F600)", "a"),
            "\0\\\xdf\xbf\xe2\x82\xac\xf0\x9f\x98\x80"s);
}

TEST(PythonText, BadEscapesAreRefused) {
  for (const char* text : {"\\u", "\\u123", "\\u12g4", "\\U0001F60", "\\U00110000", "\\Uffffffff"})
    EXPECT_ERROR(utf8_of_escaped(text, "a"), "a: damaged");
}

TEST(PythonText, EveryByteSurvivesUtf8) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    EXPECT_EQ(latin1_of_utf8(utf8_of_escaped(one, "a"), "a"), one) << byte;
  }
}

TEST(PythonText, CharactersBeyondBytesAreRefused) {
  for (const char* text : {"\xc4\x80", "\xe2\x82\xac", "\xc3", "\xc3z", "\x80", "\xff", "\xc1\x80"})
    EXPECT_ERROR(latin1_of_utf8(text, "a"), "a: damaged", "beyond 255");
}

}  // namespace
}  // namespace spikenm::data
