// What a TOML text may ask of its parser, which recurses for each level of nesting and looks
// through all tables for each new one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spikenm {

constexpr size_t kMostToml = 4 << 20;    // bytes: about a second's work
constexpr int64_t kDeepestToml = 64;     // tables and lists inside one another
constexpr int64_t kMostTables = 10'000;  // [headers] and the parts before the last of dotted keys

// Throws Error, naming the line, when the text goes beyond these. One pass, no recursion. Valid or
// not is for the parser to say: strings and comments are skipped, all else is counted.
void check_toml_limits(std::string_view text, const std::string& source);

}  // namespace spikenm
