// In which calls a graph runs at one place: a norm, the neurons behind it and the pool that alone
// reads them may be one.
#pragma once

#include "spikenm/graph/graph.h"
#include "spikenm/ops/norm_neuron.h"

#include <optional>
#include <vector>

namespace spikenm::nn {

struct PlanStep {
  graph::NodeId node = 0;  // whose value the step gives
  // Neurons with what is done in the same call; `neurons` is set where one does more than `node`.
  std::optional<graph::NodeId> norm, neurons, pool;
  graph::NodeId input = 0;              // the first node that the step reads
  std::vector<graph::NodeId> finished;  // values that nobody reads after the step
};

struct Plan {
  ops::Place place;
  std::vector<PlanStep> steps;  // in forward order
};

Plan make_plan(const graph::Graph& graph, const ops::Place& place);

}  // namespace spikenm::nn
