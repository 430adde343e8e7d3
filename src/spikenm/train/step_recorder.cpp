#include "spikenm/train/step_recorder.h"

#include "spikenm/core/say.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <exception>

namespace spikenm::train {
namespace {

// In the first steps, libraries choose their algorithms and make their workspaces.
constexpr int64_t kPlainSteps = 3;

}  // namespace

StepResult StepRecorder::run(const BatchTensors& batch, int64_t version, const Work& work) {
  if (impossible_ || batch.partner_labels.defined()) {
    recording_.reset();  // its gradients no longer belong to the parameters
    return work(batch);
  }

  if (!fits(batch, version)) {
    recording_.reset();
    version_ = version;
    plain_steps_ = 0;
    held_ = {.frames = at::empty_like(batch.frames), .labels = at::empty_like(batch.labels)};
  }

  if (recording_ == nullptr && plain_steps_++ < kPlainSteps) return work(batch);
  held_.frames.copy_(batch.frames);
  held_.labels.copy_(batch.labels);
  if (recording_ == nullptr && !record(work)) return work(batch);
  recording_->replay();
  return result_;
}

bool StepRecorder::fits(const BatchTensors& batch, int64_t version) const {
  return version == version_ && held_.frames.defined() &&
         held_.frames.sizes() == batch.frames.sizes() &&
         held_.frames.scalar_type() == batch.frames.scalar_type();
}

bool StepRecorder::record(const Work& work) {
  try {
    recording_ = ops::Recording::record([&] { result_ = work(held_); });
  } catch (const std::exception& e) {
    impossible_ = true;
    say_lines(fmt::format(
        "note: this step cannot be recorded as a CUDA graph, so it runs plainly: {}", e.what()));
  }
  return recording_ != nullptr;
}

}  // namespace spikenm::train
