#include "spikenm/ops/bad_steps.h"

#include "spikenm/core/error.h"
#include "spikenm/kernels/bad_steps.h"
#include "spikenm/ops/stream.h"

#include <ATen/ATen.h>

#include <cstring>

namespace spikenm::ops {

BadStepCounter::BadStepCounter(const at::Device& device, int64_t limit)
    : limit_(limit),
      state_(at::zeros({static_cast<int64_t>(sizeof(kernels::BadSteps))},
                       at::TensorOptions(device).dtype(at::kByte))),
      row_before_(at::zeros({1}, at::TensorOptions(device).dtype(at::kLong))) {}

void BadStepCounter::see(const at::Tensor& largest, const at::Tensor& loss,
                         const at::Tensor& loss_scale, const at::Tensor& skip) {
  look(/*again=*/false, largest, /*first=*/0, loss, loss_scale, skip);
}

void BadStepCounter::see_more(const at::Tensor& largest, int64_t first, const at::Tensor& loss,
                              const at::Tensor& loss_scale, const at::Tensor& skip) {
  look(/*again=*/true, largest, first, loss, loss_scale, skip);
}

void BadStepCounter::look(bool again, const at::Tensor& largest, int64_t first,
                          const at::Tensor& loss, const at::Tensor& loss_scale,
                          const at::Tensor& skip) {
  SPIKENM_ASSERT(largest.is_contiguous() && skip.numel() == 1 && loss.numel() == 1);
  const kernels::SeenStep step{
      .is_second_look = again,
      .first_value = first,
      .n = largest.numel(),
      .values = largest.const_data_ptr<float>(),
      .loss = loss.const_data_ptr<double>(),
      .loss_scale = loss_scale.defined() ? loss_scale.const_data_ptr<float>() : nullptr,
      .limit = limit_,
      .skip = skip.mutable_data_ptr<float>(),
      .row_before = row_before_.mutable_data_ptr<int64_t>()};
  auto* const state = static_cast<kernels::BadSteps*>(state_.mutable_data_ptr());
  if (state_.is_cuda()) {
    kernels::see_step_cuda(step, state, current_stream());
  } else {
    kernels::see_step(step, state);
  }
}

BadRow BadStepCounter::row() const {
  const at::Tensor bytes = state_.cpu();
  kernels::BadSteps state;
  std::memcpy(&state, bytes.const_data_ptr(), sizeof(state));
  return {
      .in_a_row = state.in_a_row, .first = state.first, .blamed = state.blamed, .loss = state.loss};
}

}  // namespace spikenm::ops
