// The JSON type of the project; keys keep the order in which they were written.
#pragma once

#include <nlohmann/json.hpp>

namespace spikenm {
using Json = nlohmann::ordered_json;
}
