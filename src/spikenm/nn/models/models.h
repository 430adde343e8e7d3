// Models by name.
#pragma once

#include "spikenm/core/config.h"
#include "spikenm/core/registry.h"
#include "spikenm/nn/network.h"

#include <functional>
#include <memory>

namespace spikenm::nn {

// What a model must fit: the data's frames and classes, the neuron, and the seed of its weights.
struct ModelSpec {
  int64_t channels = 2, height = 34, width = 34, classes = 10;
  NeuronSpec neuron;
  uint64_t seed = 0;
  // Tensors have shapes and no memory (torch's meta device): what a network would be like is known
  // before it costs anything.
  bool shapes_only = false;

  [[nodiscard]] FrameShape frame() const { return {channels, height, width}; }
};

// `config` is the [model] section.
using ModelFactory =
    std::function<std::unique_ptr<Network>(const ModelSpec&, const Config& config)>;

const Registry<ModelFactory>& models();

// The model of that name. `config` is the whole config: keys of [neuron] that no neuron of this
// network follows have no effect.
std::unique_ptr<Network> make_model(const std::string& name, const ModelSpec& spec,
                                    const Config& config);

}  // namespace spikenm::nn
