#include "spikenm/nn/models/models.h"

#include <algorithm>

namespace spikenm::nn {

std::unique_ptr<Network> make_model(const std::string& name, const ModelSpec& spec,
                                    const Config& config) {
  config.section("model").selects("name");
  auto network = models().find(name)(spec, config.section("model"));
  const auto any = [&](auto&& fits) {
    return std::any_of(network->neurons().begin(), network->neurons().end(),
                       [&](const Neuron& neuron) { return fits(neuron.params.neuron); });
  };
  const kernels::Neuron kind = spec.neuron.params.neuron;
  const bool is_used = any([&](kernels::Neuron other) { return other == kind; });
  const bool leaks = any(neuron_leaks);
  // Blocks may have neurons of a kind of their own, and then neuron.name may be nobody's.
  if (!is_used) config.no_effect("neuron.name", {"model.name", "model.block_neuron", "model.stem"});
  if (!leaks)
    for (const char* key : {"neuron.tau", "neuron.decay_input"})
      config.no_effect(key, {neuron_leaks(kind) ? "model.name" : "neuron.name", "neuron.name",
                             "model.name", "model.block_neuron", "model.stem"});
  return network;
}

}  // namespace spikenm::nn
