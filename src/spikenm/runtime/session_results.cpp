// What a session tells after a run: scores, rates, the values of a node.
#include "spikenm/core/error.h"
#include "spikenm/runtime/fold.h"
#include "spikenm/runtime/session_memory.h"

#include <algorithm>
#include <bit>

namespace spikenm::runtime {

std::span<const float> Session::Memory::mean_scores() {
  const NodeId last = nodes_.size() - 1;
  const auto classes = static_cast<size_t>(model->classes());
  for (int64_t sample = 0; sample < samples_; ++sample) {
    const RealView values = real(last, sample);
    for (size_t k = 0; k < classes; ++k) {
      double total = 0;
      for (int64_t t = 0; t < values.steps; ++t) total += values.at(t)[k];
      scores_[static_cast<size_t>(sample) * classes + k] =
          static_cast<float>(total / static_cast<double>(values.steps));
    }
  }
  return std::span(scores_).first(static_cast<size_t>(samples_) * classes);
}

void Session::Memory::rest(std::span<float> state) const {
  for (const Step& step : model->program().steps) {
    const NodeMemory& memory = nodes_[step.node];
    if (memory.states == 0 || step.kind == Step::Kind::kExpand) continue;
    const graph::NeuronParams params = neuron_params(model->stored(), step.node);
    const std::span<float> own = state.subspan(memory.state, memory.states);
    if (step.kind == Step::Kind::kLayer)
      std::ranges::fill(own, folded_neurons(params).rest);
    else
      begin_neurons(params, own);
  }
}

double Session::Memory::firing_rate(NodeId neurons) const {
  int64_t fired = 0, words = steps_ * node(neurons).out.height * node(neurons).out.width *
                             kernels::spike_words(node(neurons).out.channels) * samples_;
  if (nodes_[neurons].bits.size() == 0) return 0;
  const auto* const data = nodes_[neurons].bits.as<uint64_t>();
  for (int64_t i = 0; i < words; ++i) fired += std::popcount(data[i]);
  return static_cast<double>(fired) /
         static_cast<double>(std::max<int64_t>(1, steps_ * samples_ * node(neurons).out.values()));
}

std::vector<float> Session::Memory::values(NodeId id, int64_t sample) const {
  SPIKENM_CHECK(sample >= 0 && sample < samples_, "session: found sample {}, wanted one of {}",
                sample, samples_);
  const graph::Shape& shape = node(id).out;
  const int64_t pixels = shape.height * shape.width;
  const bool has_real = nodes_[id].real.size() > 0, has_bits = nodes_[id].bits.size() > 0;
  if (!has_real && !has_bits) return {};
  const int64_t steps = has_bits ? steps_ : steps_of(id);
  std::vector<float> found(static_cast<size_t>(steps * shape.values()));
  const auto bit = [&](int64_t plane, int64_t t, int64_t p, int64_t c) {
    return bits(id, sample, plane).at(t, p)[c / 64] >> c % 64 & 1;
  };
  const auto* const pool = node(id).as<graph::Pool>();
  const bool averages = pool != nullptr && pool->kind == graph::PoolKind::kAverage;
  const auto unit = 1.0f / static_cast<float>(averages ? pool->size * pool->size : 1);
  for (int64_t t = 0; t < steps; ++t)
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < shape.channels; ++c) {
        float value = 0;
        for (int64_t plane = 0; has_bits && plane < planes_of(id); ++plane)
          value += static_cast<float>(bit(plane, t, p, c) << plane) * unit;
        if (!has_bits) value = real(id, sample).at(t)[p * shape.channels + c];
        found[static_cast<size_t>((t * shape.channels + c) * pixels + p)] = value;
      }
  return found;
}

}  // namespace spikenm::runtime
