// How often a run writes a checkpoint, and how many it keeps.
#pragma once

#include "spikenm/core/config.h"

namespace spikenm::train {

struct CheckpointOptions {
  double every_minutes = 5;  // 0: do not save by time
  int64_t every_epochs = 0;  // 0: do not save by epochs
  int64_t keep = 2;          // the newest ones; older ones are removed
};

// Reads [checkpoints].
CheckpointOptions read_checkpoint_options(const Config& config);

}  // namespace spikenm::train
