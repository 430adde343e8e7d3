// A config file and the files that it extends, as they are written.
#pragma once

#include "spikenm/core/json.h"

#include <filesystem>
#include <vector>

namespace spikenm {

constexpr const char* kExtendsKey = "extends";

// The tables of the file and of its bases without that key, the last base first: each goes over
// those before it.
std::vector<Json> read_config_layers(const std::filesystem::path& path);

}  // namespace spikenm
