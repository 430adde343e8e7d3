// Paths as users write them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spikenm {

// The path with a leading ~ replaced by $HOME, as a shell does it. A shell does not do it for
// data.root=~/sets or inside a config file (root = "~/sets"). Another user's home (~name) stays
// unchanged. When HOME is not set, an Error names `key`, the key that gave the path.
std::filesystem::path expand_home(const std::string& path, std::string_view key);

}  // namespace spikenm
