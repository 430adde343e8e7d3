// The config of a run that continues after a stop.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/json.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/train/checkpoint.h"

#include <optional>
#include <string>
#include <string_view>

namespace spikenm::train {

// Whether a run may continue with another value of this key, such as "data.workers". These keys
// change how the work is done, but not the results.
bool may_differ(std::string_view key);

// Where two configs differ in a key that may not. Values are as text; "none": the config lacks it.
struct Difference {
  std::string key, found, wanted;
};
// The first one, or nothing.
std::optional<Difference> first_difference(const Json& found, const Json& wanted);

// The config in the run's folder, with the values of `asked` for keys that may differ. If `asked`
// has another value for any other key, an Error names the first such key.
Config resume_config(const RunDir& run, const Config& asked);

// Throws Error where the folder's config or network is not the one that the checkpoint was made
// with: somebody has edited the files of the run.
void check_made_with(const CheckpointNote& note, const RunDir& run, const std::string& graph);

}  // namespace spikenm::train
