#include "spikenm/nn/network.h"

#include <ATen/ATen.h>

namespace spikenm::nn {

std::vector<NamedTensor> Network::parameters() const {
  std::vector<NamedTensor> list;
  for (const Synapse& s : synapses_) list.push_back({s.name + ".weight", s.weight});
  for (const Norm& n : norms_) {
    list.push_back({n.name + ".weight", n.state.gamma});
    list.push_back({n.name + ".bias", n.state.beta});
  }
  for (const Neuron& n : neurons_) {
    if (n.leak_logit.defined()) list.push_back({n.name + ".w", n.leak_logit});
  }
  return list;
}

std::vector<NamedTensor> Network::buffers() const {
  std::vector<NamedTensor> list;
  for (const Norm& n : norms_) {
    list.push_back({n.name + ".running_mean", n.state.running_mean});
    list.push_back({n.name + ".running_var", n.state.running_var});
  }
  return list;
}

Tensor vote(const Tensor& x, int64_t voters) {
  return voters == 1 ? x : x.unflatten(2, {x.size(2) / voters, voters}).mean(3);
}

}  // namespace spikenm::nn
