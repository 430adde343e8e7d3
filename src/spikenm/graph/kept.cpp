#include "spikenm/graph/kept.h"

#include "spikenm/graph/walks.h"

namespace spikenm::graph {
namespace {

using Places = std::vector<uint8_t>;  // [C,H,W]; empty: all

// Values that no window covers are left as they are without the pool: useful.
Places useful_to_pool(const Pool& pool, const Shape& in, const Shape& out, const Places& useful) {
  Places found(static_cast<size_t>(in.values()), 1);
  for_each_covered(pool, in, out, [&](size_t, size_t value) { found[value] = 0; });
  for_each_covered(pool, in, out, [&](size_t window, size_t value) {
    if (useful[window] != 0) found[value] = 1;
  });
  return found;
}

// Each output is made of `n` consecutive inputs.
Places repeated(const Places& useful, int64_t n) {
  Places found;
  found.reserve(useful.size() * static_cast<size_t>(n));
  for (const uint8_t one : useful) found.insert(found.end(), static_cast<size_t>(n), one);
  return found;
}

// The inputs of a node that are useful to it, given which of its own values are.
Places useful_inputs(const Graph& graph, const Node& node, const Places& useful,
                     const Places& kept) {
  if (node.as<Synapse>() != nullptr) return {};
  if (node.as<Neuron>() != nullptr) return kept;
  if (useful.empty()) return {};

  const Shape& in = graph.input_of(node).out;
  if (const auto* pool = node.as<Pool>()) return useful_to_pool(*pool, in, node.out, useful);
  if (node.as<Mean>() != nullptr) return repeated(useful, in.height * in.width);
  if (const auto* vote = node.as<Vote>()) return repeated(useful, vote->voters);
  return useful;  // norms, sums and flattened maps keep the order of values
}

}  // namespace

Kept all_kept(const Graph& graph) {
  return Kept(graph.nodes().size());
}

Kept useful_values(const Graph& graph, const Kept& kept) {
  const Readers reading = readers(graph);
  Kept useful = all_kept(graph);
  for (NodeId id = graph.nodes().size(); id-- > 0;) {
    bool has_useless = !reading[id].empty();
    Places found;
    for (const NodeId reader : reading[id]) {
      const Places more = useful_inputs(graph, graph.node(reader), useful[reader], kept[reader]);
      has_useless = has_useless && !more.empty();
      if (!has_useless) break;
      found.resize(more.size(), 0);
      for (size_t i = 0; i < more.size(); ++i) found[i] = found[i] != 0 || more[i] != 0 ? 1 : 0;
    }
    if (has_useless) useful[id] = std::move(found);
  }
  return useful;
}

void for_each_covered(const Pool& pool, const Shape& in, const Shape& out,
                      const std::function<void(size_t, size_t)>& visit) {
  size_t window = 0;
  for (int64_t c = 0; c < out.channels; ++c)
    for (int64_t y = 0; y < out.height; ++y)
      for (int64_t x = 0; x < out.width; ++x, ++window) {
        const AxisRange rows = pool.inputs(y, in.height), columns = pool.inputs(x, in.width);
        for (int64_t row = rows.begin; row < rows.end; ++row)
          for (int64_t column = columns.begin; column < columns.end; ++column)
            visit(window, static_cast<size_t>((c * in.height + row) * in.width + column));
      }
}

}  // namespace spikenm::graph
