// Counts steps whose loss or gradients are not finite, on their device: the host does not wait.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace spikenm::ops {

// The bad steps since the last good one.
struct BadRow {
  int64_t in_a_row = 0;
  int64_t first = 0;    // number of the row's first step, counted from the first one seen
  int64_t blamed = -1;  // of that step: index of the last gradient that was not finite; -1: none
  double loss = 0;      // of that step
};

class BadStepCounter {
 public:
  // After `limit` bad steps in a row no step is taken any more.
  BadStepCounter(const at::Device& device, int64_t limit);

  // Counts a step. `largest` [n] float holds the largest magnitude of each gradient, `loss` is
  // [] double. Gradients that overflowed under a `loss_scale` ([1] float, or undefined) above 1 are
  // not counted: the scale will fall. Sets `skip` ([1] float) to 1 if no optimiser may take the
  // step, else to 0. A recorded step may contain this call.
  void see(const at::Tensor& largest, const at::Tensor& loss, const at::Tensor& loss_scale,
           const at::Tensor& skip);

  // A second look at the step that see() counted, for gradients that are made later. The arguments
  // are those of see(); `blamed` counts from `first` on.
  void see_more(const at::Tensor& largest, int64_t first, const at::Tensor& loss,
                const at::Tensor& loss_scale, const at::Tensor& skip);

  // Waits for the GPU.
  [[nodiscard]] BadRow row() const;

  // All that the counter keeps from step to step, as bytes; a load may write to it.
  [[nodiscard]] const at::Tensor& state() const { return state_; }

 private:
  void look(bool again, const at::Tensor& largest, int64_t first, const at::Tensor& loss,
            const at::Tensor& loss_scale, const at::Tensor& skip);

  int64_t limit_;
  at::Tensor state_;       // a kernel's struct as bytes
  at::Tensor row_before_;  // [1] int64: the row without the step that was seen last
};

}  // namespace spikenm::ops
