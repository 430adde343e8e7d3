// TOML as JSON: tables are objects whose keys keep the order of the file. Dates have no JSON type
// and are refused.
#pragma once

#include "spikenm/core/json.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spikenm {

// `source` names the text in messages.
Json parse_toml(std::string_view text, const std::string& source);

// Reads the right side of an assignment; returns nothing when it is not TOML. `key` names it in
// messages.
std::optional<Json> parse_toml_value(std::string_view text, const std::string& key);

// Every value that is not a table, under its dotted key: {a: {b: 1}} becomes "a.b", 1.
std::vector<std::pair<std::string, Json>> flatten_tables(const Json& table);

}  // namespace spikenm
