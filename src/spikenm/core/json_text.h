// JSON text that comes from a file: read in linear time, within fixed limits.
#pragma once

#include "spikenm/core/json.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace spikenm {

constexpr int64_t kDeepestJson = 64;  // lists and objects inside one another
// A model's header has 7 values per tensor. This many values take about 300 MB.
constexpr int64_t kMostJsonValues = 4'000'000;

// Reads a text that is one JSON object. Broken text, a key given twice, deep nesting, too many
// values and anything other than an object is an Error, in which `source` names the text.
Json parse_json_object(std::string_view text, const std::string& source);

}  // namespace spikenm
