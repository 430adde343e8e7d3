// Checkpoints. Each is a safetensors file with the whole state of a run, from which the run can
// continue.
#pragma once

#include "spikenm/train/state_copy.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::train {

// In the metadata of every checkpoint, as "format".
inline constexpr const char* kCheckpointFormat = "spikenm-checkpoint";

// What a checkpoint holds besides the state.
struct CheckpointNote {
  int64_t step = 0;    // number of optimiser steps done
  std::string where;   // position of the next step: "in search epoch 3 of 10, batch 17 of 90"
  std::string config;  // the run's resolved config
  std::string graph;   // the network's graph as JSON, with the frame's shape and the classes

  bool operator==(const CheckpointNote&) const = default;
};

// "step-1200.safetensors"
std::string checkpoint_name(int64_t step);

// The checkpoints in a folder, the newest first. A folder that does not exist has none.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);

// Writes folder/step-N.safetensors; a file of this name is never incomplete. Then reads the file
// back to check it, and removes all checkpoints but the newest `keep`.
void write_checkpoint(const std::filesystem::path& folder, const StateCopy& state,
                      const CheckpointNote& note, int64_t keep);

// Loads the state that `show` shows. The whole file is checked first, so the Error for a damaged
// file comes before anything has changed.
CheckpointNote load_checkpoint(const std::filesystem::path& path, const ShowState& show);

// Loads the newest checkpoint that is not damaged, and prints a warning for each damaged one. If
// the folder has no checkpoints, returns nothing. If all are damaged, throws an Error.
std::optional<CheckpointNote> load_newest_checkpoint(const std::filesystem::path& folder,
                                                     const ShowState& show);

}  // namespace spikenm::train
