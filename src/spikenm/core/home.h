// A path as a person writes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spikenm {

// The path with a leading ~ replaced by $HOME, as a shell does it; what a shell leaves alone
// (data.root=~/sets, root = "~/sets" in a file) reaches the program raw. Another user's (~name)
// stays as it is. An Error names `key`, where the path was given, when HOME is not set.
std::filesystem::path expand_home(const std::string& path, std::string_view key);

}  // namespace spikenm
