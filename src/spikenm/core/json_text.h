// JSON text that comes from a file: read in linear time, and with nothing taken on trust.
#pragma once

#include "spikenm/core/json.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace spikenm {

constexpr int64_t kDeepestJson = 64;  // lists and objects inside one another
// A model's header has 7 a tensor; as many as this take some 300 MB.
constexpr int64_t kMostJsonValues = 4'000'000;

// The object that the whole text is. Broken text, a key given twice, deep nesting, too many values
// and anything else than an object is an Error; `source` names the text in it.
Json parse_json_object(std::string_view text, const std::string& source);

}  // namespace spikenm
