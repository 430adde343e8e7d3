// A config file and the files that it extends, as they are written.
#pragma once

#include "spikenm/core/json.h"

#include <filesystem>
#include <vector>

namespace spikenm {

constexpr const char* kExtendsKey = "extends";

struct ConfigLayer {
  std::filesystem::path file;
  Json tables;  // without that key
};

// The file and its bases, the last base first: each goes over those before it.
std::vector<ConfigLayer> read_config_layers(const std::filesystem::path& path);

}  // namespace spikenm
