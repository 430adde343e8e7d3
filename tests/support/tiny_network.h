// Networks small enough to work out by hand: layers are added with their values, and a function
// says how a pass walks them.
#pragma once

#include "spikenm/nn/network.h"
#include "spikenm/nn/run_pass.h"

#include <ATen/ATen.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

class TinyNetwork : public nn::Network {
 public:
  using Walk = std::function<at::Tensor(nn::Pass&, const at::Tensor&)>;
  Walk walk;

  at::Tensor forward(nn::Pass& pass, const at::Tensor& x) override { return walk(pass, x); }

  void set_frame(int64_t channels, int64_t height, int64_t width) {
    frame_ = {.channels = channels, .height = height, .width = width};
  }

  nn::Synapse& add_synapse(const std::string& name, const at::Tensor& weight,
                           ops::SynapseGeometry geometry = {}) {
    nn::Synapse& layer = synapses_.emplace_back();
    layer.name = name;
    layer.weight = weight.clone().set_requires_grad(true);
    layer.geometry = geometry;
    return layer;
  }

  // Integrate and fire at 1: passes 0 and 1 on as they are.
  nn::Neuron& add_neuron(const std::string& name) {
    nn::Neuron& layer = neurons_.emplace_back();
    layer.name = name;
    layer.params = {.neuron = kernels::Neuron::kIf};
    return layer;
  }
};

inline at::Tensor floats(const std::vector<float>& values, at::IntArrayRef shape) {
  return at::tensor(values).view(shape);
}

}  // namespace spikenm::test
