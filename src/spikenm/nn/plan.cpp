#include "spikenm/nn/plan.h"

#include "spikenm/graph/walks.h"

#include <algorithm>

namespace spikenm::nn {
namespace {

using graph::NodeId;

class Planner {
 public:
  Planner(const graph::Graph& graph, const ops::Place& place)
      : graph_(graph), place_(place), readers_(graph::readers(graph)) {}

  Plan make() {
    Plan plan{.place = place_, .steps = {}};
    for (NodeId id = 1; id < graph_.nodes().size(); ++id) {
      PlanStep step = group(id);
      id = step.node;
      plan.steps.push_back(std::move(step));
    }
    mark_finished(plan);
    return plan;
  }

 private:
  // The step that begins with this node.
  [[nodiscard]] PlanStep group(NodeId id) const {
    PlanStep step{.node = id, .input = graph_.node(id).inputs[0]};

    const bool has_norm = graph_.node(id).as<graph::Norm>() != nullptr;
    const NodeId at = has_norm ? follower(id) : id;
    const auto* const neuron = graph_.node(at).as<graph::Neuron>();
    if (neuron == nullptr) return step;

    const NodeId behind = follower(at);
    const auto* const pool = graph_.node(behind).as<graph::Pool>();
    const ops::Fusing fusing = ops::fusing(neuron->params, place_, graph_.node(at).out, pool);
    if (!fusing.norm_neuron) return step;

    step.node = at;
    step.neurons = at;
    if (has_norm) step.norm = id;
    if (fusing.pool) step.pool = step.node = behind;
    step.bits = fusing.bits && !fusing.pool && is_read_by_synapse(at);
    return step;
  }

  [[nodiscard]] bool is_read_by_synapse(NodeId id) const {
    return std::ranges::any_of(readers_[id], [&](const NodeId reader) {
      return graph_.node(reader).as<graph::Synapse>() != nullptr;
    });
  }

  // The node that comes next and alone reads this one; the node itself where there is none.
  [[nodiscard]] NodeId follower(NodeId id) const {
    const std::vector<NodeId>& reading = readers_[id];
    return reading.size() == 1 && reading[0] == id + 1 ? id + 1 : id;
  }

  void mark_finished(Plan& plan) const {
    for (NodeId id = 0; id + 1 < graph_.nodes().size(); ++id) {
      const NodeId last = readers_[id].empty() ? id : readers_[id].back();
      for (PlanStep& step : plan.steps)
        if (step.node >= last) {
          step.finished.push_back(id);
          break;
        }
    }
  }

  const graph::Graph& graph_;
  const ops::Place& place_;
  graph::Readers readers_;
};

}  // namespace

Plan make_plan(const graph::Graph& graph, const ops::Place& place) {
  return Planner(graph, place).make();
}

}  // namespace spikenm::nn
