// Whether a run's folder is still the one that this process took.
#pragma once

#include <filesystem>

namespace spikenm {

// Throws an Error if the folder was removed or moved away while the run was going on, or if another
// process has taken the place since.
void check_still_owned(const std::filesystem::path& folder);

}  // namespace spikenm
