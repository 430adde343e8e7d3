// Networks that hold every kind of node, in the ways that matter to who runs them.
#pragma once

#include "spikenm/graph/graph.h"
#include "support/graphs.h"

#include <string>
#include <utility>
#include <vector>

namespace spikenm::test {

inline graph::Neuron neuron_of(graph::NeuronKind kind, bool soft_reset = false, double v_reset = 0,
                               bool decay_input = true) {
  graph::Neuron neuron;
  neuron.params.neuron = kind;
  neuron.params.soft_reset = soft_reset;
  neuron.params.v_reset = v_reset;
  neuron.params.decay_input = decay_input;
  neuron.params.threshold = 0.5;
  return neuron;
}

// Builds a graph node by node.
class GraphMaker {
 public:
  explicit GraphMaker(const graph::FrameShape& frame, int64_t classes = 3)
      : graph_("made", frame, graph::numbered_classes(classes)) {}

  graph::NodeId add(graph::Operation operation, std::vector<graph::NodeId> inputs) {
    return graph_.add("n" + std::to_string(graph_.nodes().size()), std::move(operation),
                      std::move(inputs));
  }
  // Convolution, norm and neurons.
  graph::NodeId unit(graph::NodeId in, int64_t out, int64_t kernel = 3, int64_t stride = 1,
                     const graph::Neuron& neuron = neuron_of(graph::NeuronKind::kLif)) {
    return add(neuron, {add(graph::Norm{}, {add(synapse_of(out, kernel, stride), {in})})});
  }
  graph::Graph finish() {
    graph_.finish();
    return graph_;
  }

 private:
  graph::Graph graph_;
};

struct NamedGraph {
  std::string name;
  graph::Graph graph;
  bool one_source = true;  // each pixel that a layer reads is one pixel of spikes
};

inline graph::Pool max_pool(int64_t size, int64_t stride, int64_t padding = 0) {
  return {.kind = graph::PoolKind::kMax, .size = size, .stride = stride, .padding = padding};
}

inline NamedGraph chain_graph() {
  GraphMaker m({2, 9, 7});
  auto at = m.unit(0, 5);
  at = m.unit(at, 70, 3, 2, neuron_of(graph::NeuronKind::kIf));
  at = m.add(max_pool(2, 2), {at});
  at = m.unit(at, 65, 3, 1, neuron_of(graph::NeuronKind::kPlif, true));
  at = m.add(graph::Flatten{}, {at});
  graph::Synapse fc = synapse_of(6);
  fc.bias = true;
  at = m.add(fc, {at});
  m.add(graph::Vote{.voters = 2}, {m.add(neuron_of(graph::NeuronKind::kLif, false, -0.1), {at})});
  return {"chain", m.finish()};
}

inline NamedGraph pooled_graph() {
  GraphMaker m({3, 12, 13});
  auto at = m.add(graph::Pool{}, {m.unit(0, 9)});
  at = m.add(graph::Pool{.size = 3, .stride = 1}, {m.unit(at, 66)});
  at = m.unit(at, 10, 1, 1, neuron_of(graph::NeuronKind::kLif, false, 0, false));
  at = m.add(graph::Flatten{}, {m.add(graph::Pool{.size = 2, .stride = 2}, {at})});
  at = m.add(synapse_of(3), {at});
  return {"pooled", m.finish(), false};
}

// SEW blocks, a shortcut, a sum of sums, a mean, and currents added before they fire.
inline NamedGraph residual_graph() {
  GraphMaker m({2, 8, 8});
  const auto stem = m.unit(0, 8);
  const auto first = m.add(graph::Sum{}, {m.unit(m.unit(stem, 8), 8), stem});
  const auto second =
      m.add(graph::Sum{}, {m.unit(m.unit(first, 12, 3, 2), 12), m.unit(first, 12, 1, 2)});
  const auto currents =
      m.add(graph::Sum{}, {m.add(synapse_of(12, 3), {second}),
                           m.add(graph::Norm{}, {m.add(synapse_of(12), {second})})});
  const auto fired = m.add(neuron_of(graph::NeuronKind::kCubaLif), {currents});
  const auto mean = m.add(graph::Mean{}, {m.add(graph::Sum{}, {fired, second})});
  m.add(synapse_of(3), {mean});
  return {"residual", m.finish(), false};
}

// Ops that must fall back to floats: a max pool of sums, a norm of spikes, a flatten that neurons
// read, an average of currents, spikes and currents in one sum, CUBA behind a synapse.
inline NamedGraph odd_graph() {
  GraphMaker m({1, 6, 6});
  const auto average = m.add(graph::Pool{.size = 2, .stride = 1}, {m.add(synapse_of(4, 3), {0})});
  const auto a = m.add(neuron_of(graph::NeuronKind::kLif), {average});
  const auto b = m.unit(a, 4, 3, 1, neuron_of(graph::NeuronKind::kCubaLif, true));
  const auto sum = m.add(graph::Sum{}, {a, b});
  const auto pool = m.add(max_pool(3, 2, 1), {sum});
  const auto norm = m.add(graph::Norm{}, {pool});
  const auto mixed = m.add(graph::Sum{}, {norm, pool});
  const auto flat = m.add(graph::Flatten{}, {mixed});
  const auto fired = m.add(neuron_of(graph::NeuronKind::kIf, true), {flat});
  m.add(synapse_of(3), {fired});
  return {"odd", m.finish(), false};
}

inline std::vector<NamedGraph> run_graphs() {
  return {chain_graph(), pooled_graph(), residual_graph(), odd_graph()};
}

}  // namespace spikenm::test
