#include "spikenm/nn/network.h"

#include "spikenm/graph/walks.h"
#include "spikenm/nn/first_values.h"
#include "spikenm/nn/pass.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::nn {
namespace {

Synapse make_synapse(const graph::Synapse& spec, uint64_t seed, uint32_t index) {
  Synapse layer;
  layer.spec = &spec;
  layer.weight = kaiming_weight(spec.shape, seed, index).set_requires_grad(true);
  if (spec.bias) layer.bias = uniform_bias(spec.shape, seed, index).set_requires_grad(true);
  return layer;
}

Norm make_norm(int64_t channels) {
  const auto filled = [&](double value) { return at::full({channels}, value, at::kFloat); };
  Norm layer;
  layer.state.gamma = filled(1).set_requires_grad(true);
  layer.state.beta = filled(0).set_requires_grad(true);
  layer.state.running_mean = filled(0);
  layer.state.running_var = filled(1);
  return layer;
}

Neuron make_neuron(const graph::Neuron& spec) {
  Neuron layer;
  layer.spec = &spec;
  if (graph::traits_of(spec.params.neuron).learns_leak) {
    // k = sigmoid(w) starts at 1/tau.
    layer.leak_logit = at::full({1}, -std::log(spec.tau - 1), at::kFloat).set_requires_grad(true);
  }
  return layer;
}

}  // namespace

Network::Network(graph::Graph graph, uint64_t seed)
    : graph_(std::move(graph)), place_(graph_.nodes().size(), 0) {
  for (graph::NodeId id = 0; id < place_.size(); ++id) {
    const graph::Node& node = graph_.node(id);
    if (const auto* synapse = node.as<graph::Synapse>()) {
      place_[id] = synapses_.size();
      synapses_.push_back(make_synapse(*synapse, seed, static_cast<uint32_t>(place_[id])));
      synapses_.back().name = node.name;
      synapses_.back().node = id;
    } else if (node.as<graph::Norm>() != nullptr) {
      place_[id] = norms_.size();
      norms_.push_back(make_norm(node.out.channels));
      norms_.back().name = node.name;
    } else if (const auto* neuron = node.as<graph::Neuron>()) {
      place_[id] = neurons_.size();
      neurons_.push_back(make_neuron(*neuron));
      neurons_.back().name = node.name;
      neurons_.back().node = id;
    }
  }

  const graph::Readers readers = graph::readers(graph_);
  for (Synapse& s : synapses_) {
    const auto driven = graph::driven_neurons(graph_, readers, s.node);
    if (driven) s.drives = &neuron(*driven);
  }
}

Tensor Network::forward(Pass& pass, const Tensor& x) {
  return pass.run(*this, x);
}

const Plan& Network::plan(int64_t steps) {
  const Synapse& first = synapses_.front();
  const ops::Place place = ops::place_of(first.weight, first.compute, steps);
  if (!plan_ || plan_->place != place) plan_ = make_plan(graph_, place);
  return *plan_;
}

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

void Network::visit_state(StateVisitor& visitor) const {
  for (const NamedTensor& p : parameters()) visitor.tensor(p.name, p.tensor);
  for (const NamedTensor& b : buffers()) visitor.tensor(b.name, b.tensor);
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

}  // namespace spikenm::nn
