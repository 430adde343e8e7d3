// The lines of metrics.jsonl, as a run that goes on finds them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace spikenm::train {

// Throws an Error that names the first of the first `epochs` lines that is not what an epoch
// writes: a JSON object whose `epoch` is the number of the line. Lines that are missing are not an
// Error here.
void check_metrics_lines(const std::filesystem::path& file, int64_t epochs);

}  // namespace spikenm::train
