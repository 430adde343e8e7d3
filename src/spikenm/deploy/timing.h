// What a trained network costs to run: packed, stored dense, and in the trainer.
#pragma once

#include "spikenm/train/model_file.h"

#include <filesystem>

namespace spikenm::deploy {

struct Cost {
  int64_t bytes = 0;  // of the file; 0: it has none
  double ms = 0;      // for one sample, the best of several runs
};

struct Timing {
  Cost packed;   // int8, by its masks
  Cost dense;    // the same weights and spikes, stored and run as if nothing were masked
  Cost trainer;  // the trainer's own forward pass
};

// Writes the packed model to `file` and times it on a sample of the test part, one at a time, for
// about `seconds` each. `run` is the model's folder, which says how often its layers fire. The
// masks of the weights are gone from `trained` afterwards; its weights are masked.
Timing time_export(train::LoadedModel& trained, const std::filesystem::path& run,
                   const std::filesystem::path& file, double seconds);

}  // namespace spikenm::deploy
