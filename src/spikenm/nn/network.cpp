#include "spikenm/nn/network.h"

#include <ATen/ATen.h>

namespace spikenm::nn {

std::vector<NamedTensor> Network::parameters() const {
  std::vector<NamedTensor> list;
  for (const Synapse& s : synapses_) {
    list.push_back({s.name + ".weight", s.weight});
    if (s.bias.defined()) list.push_back({s.name + ".bias", s.bias});
  }
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

void Network::move_to(const at::Device& device, at::ScalarType compute) {
  const auto move = [&](Tensor& t) {
    if (t.defined()) t = t.detach().to(device).set_requires_grad(t.requires_grad());
  };
  for (Synapse& s : synapses_) {
    move(s.weight);
    move(s.bias);
    s.compute = compute;
  }
  for (Norm& n : norms_)
    for (Tensor* t : {&n.state.gamma, &n.state.beta, &n.state.running_mean, &n.state.running_var})
      move(*t);
  for (Neuron& n : neurons_) move(n.leak_logit);
}

Tensor vote(const Tensor& x, int64_t voters) {
  if (voters == 1) return x;
  const Tensor votes = x.unflatten(2, {x.size(2) / voters, voters});
  // Tenths are not exact in 16 bits.
  return x.is_cuda() ? votes.mean(3, /*keepdim=*/false, at::kFloat) : votes.mean(3);
}

Tensor global_average(const Tensor& x) {
  return x.mean({3, 4});
}

}  // namespace spikenm::nn
