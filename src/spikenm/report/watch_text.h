// A run in a terminal: its newest numbers, with a small curve of each.
#pragma once

#include "spikenm/report/runs.h"

#include <cstdint>

namespace spikenm::report {

// Lines of at most `width` characters: where the run is, its curves, densities and firing rates. Of
// more lines than `most_lines` the last one says how many are left out.
std::string watch_text(const Run& run, size_t width, size_t most_lines = SIZE_MAX);

// The values as one line of block characters, from the smallest (▁) to the largest (█). More values
// than `width` are thinned.
std::string sparkline(const std::vector<double>& values, size_t width);

}  // namespace spikenm::report
