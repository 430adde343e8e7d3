#include "spikenm/graph/models/neuron_options.h"

namespace spikenm::graph {

Neuron read_neuron(const Config& config) {
  Neuron neuron;
  NeuronParams& p = neuron.params;
  neuron.tau = config.get_real("tau", 2.0, 1.0, 1e6);
  p.k = 1 / neuron.tau;
  neuron.tau_syn = config.get_real("tau_syn", 2.0, 1.0, 1e6);
  p.k_syn = 1 / neuron.tau_syn;
  p.threshold = config.get_real("threshold", 1.0, 1e-6);
  p.soft_reset = config.get_choice("reset", "hard", {"hard", "soft"}) == 1;
  p.v_reset = config.get<double>("v_reset", 0.0);
  if (p.soft_reset) config.no_effect("v_reset", {"reset"});
  p.decay_input = config.get<bool>("decay_input", true);
  p.detach_reset = config.get<bool>("detach_reset", true);
  p.surrogate = static_cast<Surrogate>(config.get_choice("surrogate", "atan", surrogate_names()));
  p.alpha = config.get_real("alpha", usual_alpha(p.surrogate), 1e-6, 1e6);
  SPIKENM_CHECK(p.soft_reset || p.v_reset < p.threshold,
                "{}: found {:g}, wanted a value below the threshold {:g}",
                config.full_key("v_reset"), p.v_reset, p.threshold);
  return read_neuron_kind(config, "name", "lif", neuron);
}

Neuron read_neuron_kind(const Config& config, const std::string& key, const std::string& fallback,
                        Neuron neuron) {
  std::vector<std::string> names;
  for (const NeuronTraits& kind : neuron_kinds()) names.emplace_back(kind.name);
  neuron.params.neuron = neuron_kinds()[config.get_choice(key, fallback, names)].kind;
  SPIKENM_CHECK(!traits_of(neuron.params.neuron).learns_leak || neuron.tau > 1,
                "{}: found {} with neuron.tau 1, wanted more than 1", config.full_key(key),
                traits_of(neuron.params.neuron).name);
  return neuron;
}

}  // namespace spikenm::graph
