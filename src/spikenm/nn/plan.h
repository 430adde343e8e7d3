// The calls that compute a graph on one device, in order. A norm, the neurons after it and the pool
// after those may be one fused call, if nothing else reads the values in between. If it saves time,
// a fused call also packs its spikes into bits, for the synapses that read them.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/ops/norm_neuron.h"

#include <optional>
#include <vector>

namespace spikenm::nn {

struct PlanStep {
  graph::NodeId node = 0;  // whose value the step computes
  // A fused call has `neurons`, and may have the norm before them and the pool after them. A step
  // without `neurons` computes `node` alone.
  std::optional<graph::NodeId> norm, neurons, pool;
  bool bits = false;                    // a fused call whose spikes a synapse reads as bits
  graph::NodeId input = 0;              // the first node that the step reads
  std::vector<graph::NodeId> finished;  // nodes whose values no later step reads
};

struct Plan {
  ops::Place place;
  std::vector<PlanStep> steps;  // in forward order
};

Plan make_plan(const graph::Graph& graph, const ops::Place& place);

}  // namespace spikenm::nn
