// Whole files, read and written so that nothing is ever half there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spikenm {

// The whole file. An Error names the path when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Writes beside the target, syncs, then renames: readers see the old file or the new one, whole.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace spikenm
