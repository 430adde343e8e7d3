#include "spikenm/graph/models/neuron_options.h"

namespace spikenm::graph {
namespace {

const RealKey kTau{
    "tau", 2.0, 1.0, 1e6, "time constant in steps; plif starts from it", "with a leaky neuron"};
const RealKey kTauSyn{"tau_syn",
                      2.0,
                      1.0,
                      1e6,
                      "time constant of the synaptic current in steps",
                      "with cuba-lif neurons"};
const RealKey kThreshold{"threshold", 1.0, 1e-6, kMostNumber, "membrane from which a neuron fires"};
const ChoiceKey kReset{"reset",
                       "hard",
                       {"hard", "soft"},
                       "a spike sets the membrane to v_reset, or takes the threshold from it"};
const NumberKey kVReset{"v_reset", 0.0, "membrane after a spike, below the threshold",
                        "with reset = \"hard\""};
const BoolKey kDecayInput{"decay_input", true, "whether the input is divided by tau as well",
                          "with a leaky neuron other than cuba-lif"};
const BoolKey kDetachReset{"detach_reset", true, "whether no gradient flows through the reset"};
const ChoiceKey kSurrogate{"surrogate", "atan", surrogate_names(),
                           "shape of the derivative that stands for the spike's"};
const RealKey kAlpha{"alpha", Varies{"2 for atan, 4 for sigmoid, 1 for triangle"}, 1e-6, 1e6,
                     "sharpness of the surrogate"};
const ChoiceKey kName{"name", "lif", neuron_names(), "kind of the neurons",
                      "where the model has no neurons of its own kind alone"};

}  // namespace

std::vector<std::string> neuron_names() {
  std::vector<std::string> names;
  for (const NeuronTraits& kind : neuron_kinds()) names.emplace_back(kind.name);
  return names;
}

KeyList neuron_keys() {
  return {&kTau,        &kTauSyn,      &kThreshold, &kReset, &kVReset,
          &kDecayInput, &kDetachReset, &kSurrogate, &kAlpha, &kName};
}

Neuron read_neuron(const Config& config) {
  Neuron neuron;
  NeuronParams& p = neuron.params;
  neuron.tau = kTau.read(config);
  p.k = 1 / neuron.tau;
  neuron.tau_syn = kTauSyn.read(config);
  p.k_syn = 1 / neuron.tau_syn;

  p.threshold = kThreshold.read(config);
  p.soft_reset = kReset.read(config) == 1;
  p.v_reset = kVReset.read(config);
  if (p.soft_reset) config.no_effect("v_reset", {"reset"});
  p.decay_input = kDecayInput.read(config);
  p.detach_reset = kDetachReset.read(config);

  p.surrogate = static_cast<Surrogate>(kSurrogate.read(config));
  p.alpha = kAlpha.read(config, usual_alpha(p.surrogate));

  SPIKENM_CHECK(p.soft_reset || p.v_reset < p.threshold,
                "{}: found {:g}, wanted a value below the threshold {:g}",
                config.full_key("v_reset"), p.v_reset, p.threshold);
  return read_neuron_kind(config, kName, neuron);
}

Neuron read_neuron_kind(const Config& config, const ChoiceKey& key, Neuron neuron) {
  neuron.params.neuron = neuron_kinds()[key.read(config)].kind;
  SPIKENM_CHECK(!traits_of(neuron.params.neuron).learns_leak || neuron.tau > 1,
                "{}: found {} with neuron.tau 1, wanted more than 1", config.full_key(key.name),
                traits_of(neuron.params.neuron).name);
  return neuron;
}

}  // namespace spikenm::graph
