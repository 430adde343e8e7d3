// What the tests of norm_neuron feed to it, the same numbers on every device.
#pragma once

#include "spikenm/ops/batch_norm.h"
#include "support/neuron_run.h"
#include "support/tensors.h"

#include <ostream>

namespace spikenm::test {

using kernels::NeuronParams;

enum class NormMode { kNone, kTraining, kEvaluation };
inline constexpr NormMode kNormModes[] = {NormMode::kNone, NormMode::kTraining,
                                          NormMode::kEvaluation};

struct NormNeuronCase {
  NeuronParams params;
  std::vector<int64_t> shape;  // of the input; its first size is `steps`, or 1
  int64_t steps = 1;
  NormMode norm = NormMode::kTraining;
  at::ScalarType type = at::kFloat;
  double shift = 0.3;
};

inline std::ostream& operator<<(std::ostream& out, const NormNeuronCase& c) {
  return out << describe(c.params) << ", " << at::IntArrayRef(c.shape) << " for " << c.steps
             << " steps, norm " << static_cast<int>(c.norm) << ", " << c.type;
}

// A threshold that a membrane charged by eighths does not meet.
inline constexpr NeuronParams kOddNeuron{.k = 0.37, .threshold = 0.7931};

inline std::vector<NeuronParams> fused_params() {
  std::vector<NeuronParams> all = fusable_neuron_params();
  for (NeuronParams& p : all) {
    p.k = kOddNeuron.k;
    p.threshold = kOddNeuron.threshold;
  }
  return all;
}

// For 16 bits: eighths, which they hold exactly.
inline Tensor exact_in(const Tensor& t, at::ScalarType type) {
  return type == at::kFloat ? t : t.mul(8).round().clamp(-32, 32).div(8);
}

// Spread differs from channel to channel.
inline Tensor input_of(const NormNeuronCase& c) {
  std::vector<int64_t> by_channel(c.shape.size(), 1);
  by_channel[2] = c.shape[2];
  const Tensor scale = 0.5 + normal_tensor({c.shape[2]}, at::kFloat, 3).abs();
  const Tensor x = normal_tensor(c.shape, at::kFloat, 1) * scale.view(by_channel) + c.shift;
  return exact_in(x, c.type);
}

inline ops::BatchNormState state_of(const NormNeuronCase& c, const at::TensorOptions& options) {
  const int64_t channels = c.shape[2];
  const auto made = [&](uint32_t stream, double scale, double offset) {
    return (normal_tensor({channels}, at::kFloat, stream, scale) + offset).to(options);
  };
  return {.gamma = trained(made(11, 0.3, 1)),
          .beta = trained(made(12, 0.5, 0.2)),
          .running_mean = made(13, 0.5, 0),
          .running_var = made(14, 1, 0).square() + 0.5,
          .eps = 1e-3,
          .momentum = 0.3};
}

}  // namespace spikenm::test
