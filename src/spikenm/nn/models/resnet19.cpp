#include "spikenm/nn/models/resnet.h"

namespace spikenm::nn {

// Stages of three, three and two blocks, and two linear layers, all masked and counted.
std::unique_ptr<Network> make_resnet19(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 64, 1, 4096);
  auto network = std::make_unique<ResNet>(spec);
  network->add_stem(width, 3, 1, spec.neuron);
  network->add_stage(2 * width, 3, 1, spec.neuron);
  network->add_stage(4 * width, 3, 2, spec.neuron);
  network->add_stage(8 * width, 2, 2, spec.neuron);
  network->add_hidden("fc1", 4 * width, spec.neuron);
  const int64_t voters = read_voters(config, spec.classes, 4 * width);
  network->add_classifier("fc2", spec.classes, voters, /*maskable=*/true);
  return network;
}

}  // namespace spikenm::nn
