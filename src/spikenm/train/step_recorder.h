// Runs the same step many times: at first directly, then from a recording.
#pragma once

#include "spikenm/ops/recording.h"
#include "spikenm/train/batch_tensors.h"

#include <functional>
#include <memory>

namespace spikenm::train {

// 0-d tensors on the network's device: reading one waits for the GPU.
struct StepResult {
  at::Tensor loss;     // double
  at::Tensor correct;  // number of samples whose label won, int64
};

class StepRecorder {
 public:
  using Work = std::function<StepResult(const BatchTensors&)>;

  // Does `work` on the batch and returns its result. If the version or the batch's shape changes,
  // the work is recorded again. Mixed batches, whose share changes, are never recorded. Work that
  // cannot be recorded runs directly from then on; stderr says so once.
  StepResult run(const BatchTensors& batch, int64_t version, const Work& work);

 private:
  [[nodiscard]] bool fits(const BatchTensors& batch, int64_t version) const;
  bool record(const Work& work);

  int64_t version_ = -1, plain_steps_ = 0;
  bool impossible_ = false;
  BatchTensors held_;  // the recording reads the batch here
  StepResult result_;  // the recording writes the result here
  std::unique_ptr<ops::Recording> recording_;
};

}  // namespace spikenm::train
