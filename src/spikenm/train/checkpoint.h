// Checkpoints: whole states of a run, each a safetensors file that the run can go on from.
#pragma once

#include "spikenm/train/state_copy.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace spikenm::train {

// What a checkpoint says beside its state.
struct CheckpointNote {
  int64_t step = 0;    // optimiser steps that were done
  std::string where;   // "in search epoch 3 of 10, batch 17 of 90": the next step
  std::string config;  // the run's, resolved
  std::string graph;   // the network's, as JSON: frame and classes are in it

  bool operator==(const CheckpointNote&) const = default;
};

// "step-1200.safetensors"
std::string checkpoint_name(int64_t step);

// Those of a folder, the newest first; none where there is no folder.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& folder);

// Writes folder/step-N.safetensors so that it is there whole or not at all, reads it back, and then
// removes all but the newest `keep`.
void write_checkpoint(const std::filesystem::path& folder, const StateCopy& state,
                      const CheckpointNote& note, int64_t keep);

// Reads every byte before anything is loaded, so a damaged file is an Error that changes nothing.
// `show` then gets the state.
CheckpointNote load_checkpoint(const std::filesystem::path& path, const ShowState& show);

// The same with the newest one that is whole; each damaged one is said on stderr. None when there
// is no checkpoint. An Error when there are some and all are damaged.
std::optional<CheckpointNote> load_newest_checkpoint(const std::filesystem::path& folder,
                                                     const ShowState& show);

}  // namespace spikenm::train
