#include "spikenm/nn/layers.h"

#include "spikenm/core/parallel.h"
#include "spikenm/core/random.h"
#include "spikenm/kernels/math/steps/all.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace spikenm::nn {
namespace {

struct NeuronName {
  kernels::Neuron neuron;
  const char* text;
  bool leaks;
};

constexpr NeuronName kNeuronNames[] = {
#define SPIKENM_NEURON(name, step, ...) {kernels::Neuron::name, text, kernels::step::kLeaks},
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
};

}  // namespace

NeuronSpec read_neuron_spec(const Config& config) {
  NeuronSpec spec;
  kernels::NeuronParams& p = spec.params;
  spec.tau = config.get_real("tau", 2.0, 1.0, 1e6);
  p.k = 1 / spec.tau;
  p.threshold = config.get_real("threshold", 1.0, 1e-6);
  p.soft_reset = config.get_choice("reset", "hard", {"hard", "soft"}) == 1;
  p.v_reset = config.get<double>("v_reset", 0.0);
  if (p.soft_reset) config.no_effect("v_reset", {"reset"});
  p.decay_input = config.get<bool>("decay_input", true);
  p.detach_reset = config.get<bool>("detach_reset", true);
  p.surrogate = static_cast<kernels::Surrogate>(
      config.get_choice("surrogate", "atan", {"atan", "sigmoid", "triangle"}));
  constexpr double kDefaultAlpha[] = {2, 4, 1};
  p.alpha = config.get_real("alpha", kDefaultAlpha[static_cast<size_t>(p.surrogate)], 1e-6, 1e6);
  SPIKENM_CHECK(p.soft_reset || p.v_reset < p.threshold,
                "{}: found {:g}, wanted a value below the threshold {:g}",
                config.full_key("v_reset"), p.v_reset, p.threshold);
  return read_neuron_kind(config, "name", "lif", spec);
}

NeuronSpec read_neuron_kind(const Config& config, const std::string& key,
                            const std::string& fallback, NeuronSpec spec) {
  std::vector<std::string> names;
  for (const NeuronName& row : kNeuronNames) names.emplace_back(row.text);
  spec.params.neuron = kNeuronNames[config.get_choice(key, fallback, names)].neuron;
  SPIKENM_CHECK(spec.params.neuron != kernels::Neuron::kPlif || spec.tau > 1,
                "{}: found plif with neuron.tau 1, wanted more than 1", config.full_key(key));
  return spec;
}

std::string neuron_name(kernels::Neuron neuron) {
  for (const NeuronName& row : kNeuronNames) {
    if (row.neuron == neuron) return row.text;
  }
  return "?";
}

bool neuron_leaks(kernels::Neuron neuron) {
  return std::any_of(std::begin(kNeuronNames), std::end(kNeuronNames),
                     [&](const NeuronName& row) { return row.neuron == neuron && row.leaks; });
}

Tensor kaiming_weight(const nm::WeightShape& shape, uint64_t seed, uint32_t index) {
  const RandomAddress random(seed, random_stream(RandomUse::kWeightInit, index));
  const double std = std::sqrt(2.0 / static_cast<double>(shape.cout * shape.kh * shape.kw));
  Tensor weight = at::empty({shape.cout, shape.cin, shape.kh, shape.kw}, at::kFloat);
  float* out = weight.mutable_data_ptr<float>();
  parallel_for(weight.numel(), 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(std * random.normal(static_cast<uint64_t>(i)));
  });
  return weight;
}

Tensor uniform_bias(const nm::WeightShape& shape, uint64_t seed, uint32_t index) {
  // Step 1 of the layer's stream: its weights have step 0.
  const RandomAddress random(seed, random_stream(RandomUse::kWeightInit, index), 1);
  const double limit = 1 / std::sqrt(static_cast<double>(shape.cin * shape.kh * shape.kw));
  Tensor bias = at::empty({shape.cout}, at::kFloat);
  float* out = bias.mutable_data_ptr<float>();
  for (int64_t i = 0; i < shape.cout; ++i)
    out[i] = static_cast<float>(random.uniform(static_cast<uint64_t>(i), -limit, limit));
  return bias;
}

}  // namespace spikenm::nn
