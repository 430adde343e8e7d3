// Text as old Python pickles write it.
#pragma once

#include <string>
#include <string_view>

namespace spikenm::data {

// The bytes that a quoted literal of Python 2 stands for, such as 'a\n\x00'.
std::string unquote_python(std::string_view literal, std::string_view source);

// Converts Latin-1 text with \uXXXX and \UXXXXXXXX to UTF-8.
std::string utf8_of_escaped(std::string_view text, std::string_view source);

// One byte for each character of UTF-8 text; a character beyond 255 is an Error.
std::string latin1_of_utf8(std::string_view text, std::string_view source);

}  // namespace spikenm::data
