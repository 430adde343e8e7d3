// The config of a run that goes on.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/train/checkpoint.h"

#include <string>
#include <string_view>

namespace spikenm::train {

// Whether a run that goes on may have another value of this key than before: "data.workers". Such
// keys change how a run is done, and none of its results.
bool may_differ(std::string_view key);

// The folder's config, with the values of `asked` for keys that may differ. An Error names the
// first other key that `asked` gives another value.
Config resume_config(const RunDir& run, const Config& asked);

// Throws Error where the folder's config or network is not the one that the checkpoint was made
// with: somebody has edited the files of the run.
void check_made_with(const CheckpointNote& note, const RunDir& run, const std::string& graph);

}  // namespace spikenm::train
