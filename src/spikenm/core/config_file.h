// A config file and the files that it extends, before they are merged.
#pragma once

#include "spikenm/core/json.h"

#include <filesystem>
#include <vector>

namespace spikenm {

constexpr const char* kExtendsKey = "extends";

struct ConfigLayer {
  std::filesystem::path file;
  Json tables;  // without kExtendsKey
};

// The file and its bases, the last base first: keys of a layer replace those of the layers before
// it.
std::vector<ConfigLayer> read_config_layers(const std::filesystem::path& path);

}  // namespace spikenm
