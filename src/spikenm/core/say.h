// What a person reads beside the work: one line on stderr.
#pragma once

#include <string>
#include <string_view>

namespace spikenm {

// The text with every control character as \xNN: what a file holds never steers a terminal.
std::string printable(std::string_view text);

// Writes the line and a newline to stderr. A stderr that cannot be written (full, closed) changes
// nothing: what is said is never the reason for a failure.
void say(std::string_view line) noexcept;

}  // namespace spikenm
