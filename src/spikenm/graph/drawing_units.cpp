#include "spikenm/graph/drawing_units.h"

#include "spikenm/graph/walks.h"

#include <fmt/format.h>

#include <algorithm>

namespace spikenm::graph {
namespace {

constexpr size_t kLongestLine = 44;  // characters of notes that share a line

// Operations that share a box follow one another in this order.
int place_in_unit(const Node& node) {
  if (node.as<Synapse>() != nullptr) return 0;
  if (node.as<Norm>() != nullptr) return 1;
  if (node.as<Neuron>() != nullptr) return 2;
  return node.as<Pool>() != nullptr ? 3 : -1;
}

bool share_box(const Graph& graph, NodeId node, const std::vector<NodeId>& reading) {
  if (reading.size() != 1) return false;
  const Node& next = graph.node(reading.front());
  const int place = place_in_unit(graph.node(node));
  return place >= 0 && place_in_unit(next) > place && next.inputs.size() == 1;
}

// An operation in a few words.
struct Words {
  const Node& node;

  std::string operator()(const Synapse& synapse) const {
    const nm::WeightShape& w = synapse.shape;
    std::string text = "linear";
    if (node.out.is_map) {
      text = fmt::format("conv {}x{} stride {}", w.kh, w.kw, synapse.geometry.stride);
      if (synapse.geometry.padding > 0)
        text += fmt::format(" padding {}", synapse.geometry.padding);
    }
    if (synapse.bias) text += ", bias";
    return text + (synapse.maskable ? "" : ", not masked");
  }

  std::string operator()(const Neuron& neuron) const {
    const NeuronParams& p = neuron.params;
    const NeuronTraits& traits = traits_of(p.neuron);
    std::string text(traits.name);
    text += traits.leaks ? fmt::format(" τ {:g}", neuron.tau) : ", no leak";
    if (traits.learns_leak) text += " learnt";
    if (has_current(p.neuron)) text += fmt::format(", synapse τ {:g}", neuron.tau_syn);
    if (p.threshold != 1) text += fmt::format(", threshold {:g}", p.threshold);
    if (p.soft_reset) return text + ", soft reset";
    return p.v_reset == 0 ? text : text + fmt::format(", reset to {:g}", p.v_reset);
  }

  std::string operator()(const Pool& pool) const {
    std::string text =
        fmt::format("{0} pool {1}x{1}", pool_names()[static_cast<size_t>(pool.kind)], pool.size);
    if (pool.stride != pool.size) text += fmt::format(" stride {}", pool.stride);
    return pool.padding == 0 ? text : text + fmt::format(" padding {}", pool.padding);
  }

  // One line is drawn per input, even if it is added several times.
  std::string operator()(const Sum&) const {
    std::vector<NodeId> once = node.inputs;
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    return once.size() == node.inputs.size() ? "sum" : fmt::format("sum of {}", node.inputs.size());
  }

  std::string operator()(const Vote& vote) const {
    return vote.voters == 1 ? "vote" : fmt::format("of {} a class", vote.voters);
  }

  std::string operator()(const auto& /*no constants*/) const { return node.operation_name(); }
};

std::string words_of(const Node& node) {
  return std::visit(Words{node}, node.operation);
}

void add_notes(const Annotations& annotations, const Node& node, DrawnUnit& unit) {
  const auto found = annotations.notes.find(node.name);
  if (found == annotations.notes.end()) return;
  for (const std::string& note : found->second) {
    if (unit.notes.empty() || unit.notes.back().size() + note.size() > kLongestLine)
      unit.notes.push_back(note);
    else
      unit.notes.back() += " · " + note;
  }
}

void add_node(const Graph& graph, NodeId id, const Annotations& annotations, DrawnUnit& unit) {
  const Node& node = graph.node(id);
  if (place_in_unit(node) < 0)
    unit.kind = node.name == words_of(node) ? "" : words_of(node);
  else if (node.as<Norm>() != nullptr && !unit.lines.empty())
    unit.lines.back() += ", norm";
  else
    unit.lines.push_back(words_of(node));
  unit.shape = node.out.text();
  add_notes(annotations, node, unit);
}

}  // namespace

std::vector<DrawnUnit> drawn_units(const Graph& graph, const Annotations& annotations) {
  const Readers reading = readers(graph);
  constexpr size_t kNone = SIZE_MAX;
  std::vector<size_t> unit_of(graph.nodes().size(), kNone);
  std::vector<DrawnUnit> units;
  for (NodeId head = 0; head < graph.nodes().size(); ++head) {
    if (unit_of[head] != kNone) continue;
    DrawnUnit& unit = units.emplace_back();
    unit.head = head;
    unit.title = graph.node(head).name;
    for (const NodeId input : graph.node(head).inputs) {
      const size_t from = unit_of[input];
      if (std::find(unit.inputs.begin(), unit.inputs.end(), from) == unit.inputs.end())
        unit.inputs.push_back(from);
    }

    NodeId at = head;
    while (true) {
      unit_of[at] = units.size() - 1;
      add_node(graph, at, annotations, unit);
      if (!share_box(graph, at, reading[at])) break;
      at = reading[at].front();
    }
  }
  return units;
}

}  // namespace spikenm::graph
