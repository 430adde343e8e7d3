// Compares the trainer and the runtime on samples of the test part, spike by spike.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/runtime/model.h"
#include "spikenm/train/model_file.h"

#include <memory>

namespace spikenm::deploy {

struct Agreement {
  // What floats must meet: rounding alone may part the two.
  static constexpr double kEqualLabelsPct = 99.5, kFarthest = 1e-5;

  int64_t samples = 0;
  int64_t equal_labels = 0;  // samples to which both give one class
  int64_t equal_spikes = 0;  // samples of which every spike is the same
  int64_t spikes = 0, differing_spikes = 0;
  // |membrane - threshold| where the spikes of a sample part first: the largest of all samples, and
  // how many samples have more than kFarthest.
  double farthest = 0;
  int64_t far_samples = 0;
  int64_t trainer_correct = 0, runtime_correct = 0;

  [[nodiscard]] Json to_json() const;
  // Throws an Error that begins with `what` when float weights agree less than rounding explains.
  void check_floats(const std::string& what) const;
};

// The first `samples` of the test part; all of it if it has fewer.
Agreement verify(train::LoadedModel& trained, std::shared_ptr<const runtime::Model> model,
                 int64_t samples);

}  // namespace spikenm::deploy
