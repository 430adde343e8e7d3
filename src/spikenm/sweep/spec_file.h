// The TOML file that lists a sweep (docs/sweeps.md).
#pragma once

#include "spikenm/sweep/spec.h"

#include <filesystem>
#include <string_view>

namespace spikenm::sweep {

// `file` names the text in messages; paths in the text are relative to it. The caller then calls
// expand().
Spec parse_spec(std::string_view text, const std::filesystem::path& file);

}  // namespace spikenm::sweep
