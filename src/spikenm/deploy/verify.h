// Compares the trainer and the runtime on samples of the test part, spike by spike.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/runtime/model.h"
#include "spikenm/train/model_file.h"

#include <memory>

namespace spikenm::deploy {

struct Agreement {
  int64_t samples = 0;
  int64_t equal_labels = 0;  // samples to which both give one class
  int64_t equal_spikes = 0;  // samples of which every spike is the same
  int64_t spikes = 0, differing_spikes = 0;
  int64_t trainer_correct = 0, runtime_correct = 0;

  [[nodiscard]] Json to_json() const;
};

// The first `samples` of the test part; all of it if it has fewer.
Agreement verify(train::LoadedModel& trained, std::shared_ptr<const runtime::Model> model,
                 int64_t samples);

}  // namespace spikenm::deploy
