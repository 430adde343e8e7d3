// What a folder holds.
#pragma once

#include <filesystem>
#include <vector>

namespace spikenm {

// The paths of the folder's entries, in any order. A folder that is missing has none; one that
// cannot be read is an Error.
std::vector<std::filesystem::path> list_folder(const std::filesystem::path& folder);

}  // namespace spikenm
