#include "spikenm/graph/connections.h"

#include "spikenm/graph/live_inputs.h"
#include "spikenm/graph/walks.h"

#include <algorithm>

namespace spikenm::graph {
namespace {

// How much of each value of a node is alive: 0 or 1, a share behind pools, a number behind sums.
struct LiveValues {
  double everywhere = 1;       // where `places` is empty
  std::vector<double> places;  // [C,H,W]

  [[nodiscard]] bool is_even() const { return places.empty(); }
  [[nodiscard]] double at(size_t place) const { return is_even() ? everywhere : places[place]; }
};

// Pairs of an output and an input that a kernel connects along one axis.
int64_t pairs(const SynapseGeometry& geometry, int64_t kernel, int64_t length) {
  int64_t sum = 0;
  for (int64_t place = 0; place < geometry.out(length, kernel); ++place)
    sum += geometry.inputs(place, kernel, length).size();
  return sum;
}

// The connections of a synapse where everything is kept.
double all_connections(const Synapse& synapse, const Shape& in) {
  const nm::WeightShape& w = synapse.shape;
  return static_cast<double>(w.cout) * static_cast<double>(w.cin) *
         static_cast<double>(pairs(synapse.geometry, w.kh, in.height)) *
         static_cast<double>(pairs(synapse.geometry, w.kw, in.width));
}

// Whether each output reads an input: none lies in the padding alone.
bool reads_everywhere(const Synapse& synapse) {
  return synapse.geometry.padding < std::min(synapse.shape.kh, synapse.shape.kw);
}

// One value per place.
std::vector<double> spread(const LiveValues& live, const Shape& shape) {
  if (!live.is_even()) return live.places;
  return std::vector<double>(static_cast<size_t>(shape.values()), live.everywhere);
}

LiveValues pooled(const Pool& pool, const Shape& in, const Shape& out, const LiveValues& live) {
  if (live.is_even()) return live;
  const bool is_mean = pool.kind == PoolKind::kAverage;
  LiveValues found{.places = std::vector<double>(static_cast<size_t>(out.values()), 0)};
  for_each_covered(pool, in, out, [&](size_t window, size_t value) {
    double& to = found.places[window];
    to = is_mean ? to + live.places[value] : std::max(to, live.places[value]);
  });
  if (is_mean)
    for (double& value : found.places) value /= static_cast<double>(pool.size * pool.size);
  return found;
}

// The mean of each `n` consecutive values.
LiveValues averaged(const LiveValues& live, int64_t n) {
  if (live.is_even()) return live;
  LiveValues found;
  for (auto at = live.places.begin(); at != live.places.end(); at += n) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += at[i];
    found.places.push_back(sum / static_cast<double>(n));
  }
  return found;
}

// Of neurons: a spike is one, however much reaches it.
LiveValues fired(const LiveValues& live, const Shape& out, const std::vector<uint8_t>& keep) {
  if (live.is_even() && keep.empty()) return {.everywhere = live.everywhere > 0 ? 1.0 : 0.0};
  LiveValues found{.places = std::vector<double>(static_cast<size_t>(out.values()))};
  for (size_t i = 0; i < found.places.size(); ++i)
    found.places[i] = live.at(i) > 0 && (keep.empty() || keep[i] != 0) ? 1 : 0;
  return found;
}

class Counter {
 public:
  Counter(const Graph& graph, const Kept& kept)
      : graph_(graph), kept_(kept), useful_(useful_values(graph, kept)), reading_(readers(graph)) {}

  std::vector<SynapseConnections> count() {
    const size_t n = graph_.nodes().size();
    live_.resize(n);
    dense_.resize(n, 1);
    for (NodeId id = 1; id < n; ++id) {
      const Node& node = graph_.node(id);
      if (const auto* synapse = node.as<Synapse>())
        live_[id] = connect(id, *synapse);
      else
        pass_on(id);
      for (const NodeId input : node.inputs)
        if (reading_[input].back() == id) live_[input] = {};
    }
    return std::move(found_);
  }

 private:
  LiveValues connect(NodeId id, const Synapse& synapse) {
    const Node& node = graph_.node(id);
    const Shape& in = graph_.input_of(node).out;
    const LiveValues& live = live_[node.inputs[0]];
    const std::vector<uint8_t>&keep = kept_[id], &useful = useful_[id];
    SynapseConnections connections{.synapse = id,
                                   .dense = dense_[node.inputs[0]] * all_connections(synapse, in)};
    LiveValues result;
    if (live.is_even() && keep.empty() && useful.empty() && reads_everywhere(synapse)) {
      connections.alive = live.everywhere * all_connections(synapse, in);
      result.everywhere = live.everywhere > 0 ? 1 : 0;
    } else {
      result.places = live_inputs(synapse, in, node.out, spread(live, in), keep, useful);
      for (double& place : result.places) {
        connections.alive += place;
        place = place > 0 ? 1 : 0;
      }
    }
    if (synapse.maskable) found_.push_back(connections);
    return result;
  }

  // What a node that is no synapse makes of what it reads.
  void pass_on(NodeId id) {
    const Node& node = graph_.node(id);
    const Shape& in = graph_.input_of(node).out;
    const LiveValues& live = live_[node.inputs[0]];
    dense_[id] = dense_[node.inputs[0]];
    if (node.as<Neuron>() != nullptr) {
      dense_[id] = 1;
      live_[id] = fired(live, node.out, kept_[id]);
    } else if (const auto* pool = node.as<Pool>()) {
      live_[id] = pooled(*pool, in, node.out, live);
    } else if (node.as<Sum>() != nullptr) {
      add_up(id);
    } else if (node.as<Mean>() != nullptr) {
      live_[id] = averaged(live, in.height * in.width);
    } else if (const auto* vote = node.as<Vote>()) {
      live_[id] = averaged(live, vote->voters);
    } else {
      live_[id] = live;  // norms and flattened maps
    }
  }

  void add_up(NodeId id) {
    const std::vector<NodeId>& inputs = graph_.node(id).inputs;
    const bool is_even =
        std::ranges::all_of(inputs, [&](const NodeId input) { return live_[input].is_even(); });
    LiveValues sum{.everywhere = 0};
    if (!is_even) sum.places.assign(static_cast<size_t>(graph_.node(id).out.values()), 0);
    dense_[id] = 0;
    for (const NodeId input : inputs) {
      dense_[id] += dense_[input];
      sum.everywhere += live_[input].everywhere;
      for (size_t i = 0; i < sum.places.size(); ++i) sum.places[i] += live_[input].at(i);
    }
    live_[id] = std::move(sum);
  }

  const Graph& graph_;
  const Kept& kept_;
  Kept useful_;
  Readers reading_;
  std::vector<LiveValues> live_;  // by node, until nobody reads it any more
  std::vector<double> dense_;     // by node, everywhere, where everything is kept
  std::vector<SynapseConnections> found_;
};

}  // namespace

std::vector<SynapseConnections> count_connections(const Graph& graph, const Kept& kept) {
  return Counter(graph, kept).count();
}

}  // namespace spikenm::graph
