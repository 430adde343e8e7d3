// A run in a terminal: its newest numbers, with a small curve of each.
#pragma once

#include "spikenm/report/runs.h"

namespace spikenm::report {

// Lines of at most `width` characters: where the run is, its curves, densities and firing rates.
std::string watch_text(const Run& run, size_t width);

// The values as one line of block characters, from the smallest (▁) to the largest (█). More values
// than `width` are thinned.
std::string sparkline(const std::vector<double>& values, size_t width);

}  // namespace spikenm::report
