// Runs the same step again and again: the first times as it is written, then as a CUDA graph.
#pragma once

#include "spikenm/ops/graph.h"
#include "spikenm/train/batch_tensors.h"

#include <functional>
#include <memory>

namespace spikenm::train {

// 0-d tensors, where the network is: reading one waits for the GPU.
struct StepResult {
  at::Tensor loss;     // double
  at::Tensor correct;  // samples whose label won, int64
};

class StepRecorder {
 public:
  using Work = std::function<StepResult(const BatchTensors&)>;

  // Does `work` on the batch, and gives its result. Work with another version or another shape of
  // batch is recorded anew; mixed batches, whose share changes, are never recorded. What cannot be
  // recorded is done as it is written from then on, and said so once on stderr.
  StepResult run(const BatchTensors& batch, int64_t version, const Work& work);

 private:
  [[nodiscard]] bool fits(const BatchTensors& batch, int64_t version) const;
  bool record(const Work& work);

  int64_t version_ = -1, plain_steps_ = 0;
  bool impossible_ = false;
  BatchTensors held_;  // where the graph reads the batch
  StepResult result_;  // where it leaves the result
  std::unique_ptr<ops::Graph> graph_;
};

}  // namespace spikenm::train
