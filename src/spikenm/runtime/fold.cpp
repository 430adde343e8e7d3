#include "spikenm/runtime/fold.h"

#include "spikenm/kernels/math/neuron_step.h"

namespace spikenm::runtime {
namespace {

// What a neuron's charge makes of its input: gain * x + pull. IF has no leak.
struct Charging {
  double gain = 1, pull = 0, keep = 1;

  explicit Charging(const graph::NeuronParams& params) {
    if (!graph::traits_of(params.neuron).leaks) return;
    const auto constants = kernels::neuron_constants<double, double>(params);
    gain = constants.charge.gain;
    pull = constants.charge.pull;
    keep = constants.charge.keep;
  }
};

}  // namespace

void fold_layer(const StoredModel& model, Layer& layer, double unit) {
  const SynapseTensor& tensor = model.synapses.at(layer.synapse);
  const auto channels = static_cast<size_t>(tensor.shape.cout);
  std::vector<double> scale(channels, unit), shift(channels, 0);
  for (size_t c = 0; c < channels; ++c) {
    if (!tensor.scale.empty()) scale[c] *= tensor.scale[c];
    if (!tensor.bias.empty()) shift[c] = tensor.bias[c];
  }

  for (const NodeId id : layer.norms) {
    const FoldedNorm& norm = model.norms.at(id);
    for (size_t c = 0; c < channels; ++c) {
      scale[c] *= norm.scale[c];
      shift[c] = shift[c] * norm.scale[c] + norm.shift[c];
    }
  }

  if (layer.neurons) {
    const Charging charging(neuron_params(model, *layer.neurons));
    for (size_t c = 0; c < channels; ++c) {
      scale[c] *= charging.gain;
      shift[c] = shift[c] * charging.gain + charging.pull;
    }
  }

  const auto padded =
      static_cast<size_t>(kernels::spike_words(tensor.shape.cout) * kernels::kSpikeBlock);
  layer.scale.assign(scale.begin(), scale.end());
  layer.shift.assign(shift.begin(), shift.end());
  layer.scale.resize(padded, 0);
  layer.shift.resize(padded, 0);
}

kernels::LayerNeurons folded_neurons(const graph::NeuronParams& params) {
  const auto threshold = static_cast<float>(params.threshold);
  const auto v_reset = static_cast<float>(params.v_reset);
  return {.keep = static_cast<float>(Charging(params).keep),
          .threshold = threshold,
          .soft = params.soft_reset ? 1.0f : 0.0f,
          .reset = params.soft_reset ? -threshold : v_reset,
          .rest = params.soft_reset ? 0.0f : v_reset};
}

}  // namespace spikenm::runtime
