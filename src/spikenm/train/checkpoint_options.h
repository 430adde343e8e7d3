// How often a run is saved.
#pragma once

#include "spikenm/core/config.h"

namespace spikenm::train {

struct CheckpointOptions {
  double every_minutes = 5;  // 0: time asks for none
  int64_t every_epochs = 0;  // 0: epochs ask for none
  int64_t keep = 2;
};

// Reads [checkpoints].
CheckpointOptions read_checkpoint_options(const Config& config);

}  // namespace spikenm::train
