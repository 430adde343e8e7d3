#include "spikenm/graph/models/unit.h"

namespace spikenm::graph {

NodeId add_unit(Graph& graph, const Unit& unit, NodeId input) {
  NodeId last = graph.add(unit.name,
                          Synapse{.shape = {unit.out, 0, unit.kernel, unit.kernel},
                                  .geometry = unit.geometry,
                                  .bias = unit.bias,
                                  .maskable = unit.maskable},
                          {input});
  if (unit.norm) last = graph.add("bn_" + unit.name, Norm{}, {last});
  if (!unit.neuron) return last;
  const std::string kind(traits_of(unit.neuron->params.neuron).name);
  return graph.add(kind + "_" + unit.name, *unit.neuron, {last});
}

}  // namespace spikenm::graph
