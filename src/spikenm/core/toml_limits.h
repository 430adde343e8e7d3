// Limits on a TOML text. Its parser recurses for each level of nesting and searches all tables for
// each new one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spikenm {

constexpr size_t kMostToml = 4 << 20;    // bytes: about one second of parsing
constexpr int64_t kDeepestToml = 64;     // tables and lists inside one another
constexpr int64_t kMostTables = 10'000;  // [headers] and parts of dotted keys before the last

// Throws an Error that names the line when the text exceeds these limits. One pass, no recursion.
// It does not check whether the text is valid: strings and comments are skipped, all else is
// counted.
void check_toml_limits(std::string_view text, const std::string& source);

}  // namespace spikenm
