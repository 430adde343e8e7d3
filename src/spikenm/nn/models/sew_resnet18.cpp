#include "spikenm/nn/models/resnet.h"

namespace spikenm::nn {

// Four stages of two blocks. The linear head is neither masked nor counted.
std::unique_ptr<Network> make_sew_resnet18(const ModelSpec& spec, const Config& config) {
  const int64_t width = config.get_int("width", 64, 1, 4096);
  const bool imagenet = config.get_choice("stem", "cifar", {"cifar", "imagenet"}) == 1;
  const NeuronSpec block_neuron = read_neuron_kind(config, "block_neuron", "if", spec.neuron);
  auto network = std::make_unique<ResNet>(spec);
  if (imagenet) {
    network->add_stem(width, 7, 2, block_neuron);
    network->add_stem_pool({.kind = ops::PoolKind::kMax, .size = 3, .stride = 2, .padding = 1});
  } else {
    network->add_stem(width, 3, 1, spec.neuron);
  }
  network->add_stage(width, 2, 1, block_neuron);
  network->add_stage(2 * width, 2, 2, block_neuron);
  network->add_stage(4 * width, 2, 2, block_neuron);
  network->add_stage(8 * width, 2, 2, block_neuron);
  const int64_t voters = read_voters(config, spec.classes, 8 * width);
  network->add_classifier("head", spec.classes, voters, /*maskable=*/false);
  return network;
}

}  // namespace spikenm::nn
