// In which calls a graph runs at one place: a norm, the neurons behind it and the pool that alone
// reads them may be one. Where it pays, spikes come with their bits, for the synapses that read
// them.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/ops/norm_neuron.h"

#include <optional>
#include <vector>

namespace spikenm::nn {

struct PlanStep {
  graph::NodeId node = 0;  // whose value the step computes
  // A fused call: these neurons, the norm before them and the pool behind them where they have one.
  // Steps without `neurons` are plain: `node` alone.
  std::optional<graph::NodeId> norm, neurons, pool;
  bool bits = false;                    // of a fused call: a synapse reads the spikes' bits
  graph::NodeId input = 0;              // the first node that the step reads
  std::vector<graph::NodeId> finished;  // values that nobody reads after the step
};

struct Plan {
  ops::Place place;
  std::vector<PlanStep> steps;  // in forward order
};

Plan make_plan(const graph::Graph& graph, const ops::Place& place);

}  // namespace spikenm::nn
