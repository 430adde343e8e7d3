#include "spikenm/nn/layers.h"

#include "spikenm/core/random.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::nn {
namespace {

struct NeuronName {
  kernels::Neuron neuron;
  const char* text;
};

constexpr NeuronName kNeuronNames[] = {
#define SPIKENM_NEURON(name, step, text) {kernels::Neuron::name, text},
#include "spikenm/kernels/neurons.inc"
#undef SPIKENM_NEURON
};

}  // namespace

NeuronSpec read_neuron_spec(const Config& config) {
  NeuronSpec spec;
  std::vector<std::string> names;
  for (const NeuronName& row : kNeuronNames) names.emplace_back(row.text);
  kernels::NeuronParams& p = spec.params;
  p.neuron = kNeuronNames[config.get_choice("name", "lif", names)].neuron;
  spec.tau = config.get_real("tau", 2.0, 1.0, 1e6);
  p.k = 1 / spec.tau;
  p.threshold = config.get_real("threshold", 1.0, 1e-6);
  p.soft_reset = config.get_choice("reset", "hard", {"hard", "soft"}) == 1;
  p.v_reset = config.get<double>("v_reset", 0.0);
  p.decay_input = config.get<bool>("decay_input", true);
  p.detach_reset = config.get<bool>("detach_reset", true);
  p.surrogate = static_cast<kernels::Surrogate>(
      config.get_choice("surrogate", "atan", {"atan", "sigmoid", "triangle"}));
  constexpr double kDefaultAlpha[] = {2, 4, 1};
  p.alpha = config.get_real("alpha", kDefaultAlpha[static_cast<size_t>(p.surrogate)], 1e-6, 1e6);
  SPIKENM_CHECK(p.soft_reset || p.v_reset < p.threshold,
                "{}: found {:g}, wanted a value below the threshold {:g}",
                config.full_key("v_reset"), p.v_reset, p.threshold);
  SPIKENM_CHECK(p.neuron != kernels::Neuron::kPlif || spec.tau > 1,
                "{}: found 1, wanted more than 1 for plif", config.full_key("tau"));
  return spec;
}

std::string neuron_name(kernels::Neuron neuron) {
  for (const NeuronName& row : kNeuronNames) {
    if (row.neuron == neuron) return row.text;
  }
  return "?";
}

Tensor kaiming_weight(const nm::WeightShape& shape, uint64_t seed, uint32_t index) {
  const RandomAddress random(seed, random_stream(RandomUse::kWeightInit, index));
  const double std = std::sqrt(2.0 / static_cast<double>(shape.cout * shape.kh * shape.kw));
  Tensor weight = at::empty({shape.cout, shape.cin, shape.kh, shape.kw}, at::kFloat);
  float* out = weight.mutable_data_ptr<float>();
  for (int64_t i = 0; i < weight.numel(); ++i)
    out[i] = static_cast<float>(std * random.normal(static_cast<uint64_t>(i)));
  return weight;
}

}  // namespace spikenm::nn
