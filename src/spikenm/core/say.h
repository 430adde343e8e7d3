// Messages for people: lines on stderr. When stderr cannot be written (full, closed, a pipe without
// a reader), nothing happens: a message is never the reason for a failure.
#pragma once

#include <string>
#include <string_view>

namespace spikenm {

// The text with every control character, and every byte that is not UTF-8, as \xNN: text from a
// file cannot control the terminal.
std::string printable(std::string_view text);

// Writes the line, made printable, and a newline to stderr.
void say(std::string_view line) noexcept;

// Says each line of a text that has several.
void say_lines(std::string_view text) noexcept;

// Writes the text to stderr unchanged: for a line that is redrawn.
void draw(std::string_view text) noexcept;

}  // namespace spikenm
