// What a person reads beside the work: lines on stderr. A stderr that cannot be written (full,
// closed, a pipe without a reader) changes nothing: what is said is never the reason for a failure.
#pragma once

#include <string>
#include <string_view>

namespace spikenm {

// The text with every control character, and every byte that is not UTF-8, as \xNN: what a file
// holds never steers a terminal.
std::string printable(std::string_view text);

// Writes the line, made printable, and a newline to stderr.
void say(std::string_view line) noexcept;

// Says each line of a text that has several.
void say_lines(std::string_view text) noexcept;

// Writes the text to stderr as it is: for a line that is drawn over.
void draw(std::string_view text) noexcept;

}  // namespace spikenm
