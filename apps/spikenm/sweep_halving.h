// A sweep whose worse rows are dropped on the way.
#pragma once

#include "sweep_runs.h"

namespace spikenm::cli {

// Trains all members on the first seed, the better half of them on the first two, and so on
// (sweep/halving.h). Returns one line per run that failed; a run that was not wanted has no result.
std::vector<std::string> train_halving(const sweep::Spec& spec, std::vector<Planned>& planned,
                                       const std::vector<Resolved>& resolved,
                                       const TrainAllOptions& options, const std::string& spared);

}  // namespace spikenm::cli
