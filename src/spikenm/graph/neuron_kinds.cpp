#include "spikenm/graph/neuron_kinds.h"

#include "spikenm/core/error.h"

namespace spikenm::graph {

const std::vector<NeuronTraits>& neuron_kinds() {
  static const std::vector<NeuronTraits> kinds{
#define SPIKENM_NEURON(name, step, text, leaks, learns_leak, states) \
  {NeuronKind::name, text, leaks, learns_leak, states},
#include "spikenm/graph/neurons.inc"
#undef SPIKENM_NEURON
  };
  return kinds;
}

const NeuronTraits& traits_of(NeuronKind kind) {
  const auto index = static_cast<size_t>(kind);
  SPIKENM_ASSERT(index < neuron_kinds().size());
  return neuron_kinds()[index];
}

const std::vector<std::string>& surrogate_names() {
  static const std::vector<std::string> names{"atan", "sigmoid", "triangle"};
  return names;
}

double usual_alpha(Surrogate surrogate) {
  constexpr double kUsual[] = {2, 4, 1};
  return kUsual[static_cast<size_t>(surrogate)];
}

}  // namespace spikenm::graph
