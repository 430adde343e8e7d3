// Channel masks removed for good: the smaller dense network that gives the same scores.
#pragma once

#include "spikenm/train/model_file.h"

#include <filesystem>
#include <memory>

namespace spikenm::train {

// The network without the channels that its masks drop. `source` names the model in messages. Throws
// an Error where a mask has another rule than channel, or where a sum adds up neurons that keep
// different channels.
std::unique_ptr<nn::Network> compact_network(const LoadedModel& model, const std::string& source);

// Loads a model, or the one of a run folder, and writes a run folder with the smaller network: a
// model without masks, its graph, a config that trains it dense, and, if `measures`, what it does on
// the test part of the data: then the data must be there.
struct CompactedRun {
  int64_t weights_before = 0, weights = 0;  // of all synapses
};
CompactedRun compact_run(const std::filesystem::path& from, const std::filesystem::path& to,
                         const std::vector<std::string>& overrides, bool measures = true);

}  // namespace spikenm::train
