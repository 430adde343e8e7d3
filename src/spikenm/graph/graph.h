// A spiking network as data. Code that trains, counts, writes or runs a network walks these nodes;
// nothing here knows tensors.
//
//   input ─ conv1 ─ bn_conv1 ─ lif_conv1 ─ pool ─ … ─ flatten ─ fc1 ─ vote
//
// Nodes are in forward order: each reads nodes before it. Every node except the last is read, and
// the last gives one score per class.
#pragma once

#include "spikenm/graph/geometry.h"
#include "spikenm/graph/neuron_kinds.h"
#include "spikenm/nm/grouping.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace spikenm::graph {

// The input of a network at each time step.
struct FrameShape {
  int64_t channels = 0, height = 0, width = 0;
  bool operator==(const FrameShape&) const = default;
};

// The output of a node per time step and sample: a map [C,H,W], or a row of features [C].
struct Shape {
  int64_t channels = 0, height = 1, width = 1;
  bool is_map = true;

  [[nodiscard]] int64_t values() const { return channels * height * width; }
  [[nodiscard]] std::vector<int64_t> sizes() const {
    return is_map ? std::vector<int64_t>{channels, height, width} : std::vector<int64_t>{channels};
  }
  [[nodiscard]] std::string text() const;  // "16x8x8", "128"
  bool operator==(const Shape&) const = default;
};

// What a node does. Operations with parameters are the network's layers.
struct Input {};
// A convolution; on a row of features, a linear layer (1x1).
struct Synapse {
  nm::WeightShape shape;
  SynapseGeometry geometry;
  bool bias = false;
  bool maskable = true;  // false: neither masked nor counted
};
// Batch norm over time and samples.
struct Norm {
  static constexpr double kEpsilon = 1e-5;  // beside the variance
};
struct Neuron {
  NeuronParams params;
  double tau = 2;         // the start of a learnt leak; else params.k is 1/tau
  double tau_syn = 2;     // params.k_syn is 1/tau_syn
  bool maskable = false;  // neuron pruning may silence neurons of this layer
};
using Pool = PoolGeometry;
struct Sum {};
// A map as a row, channel by channel.
struct Flatten {};
// The mean over a whole map, square or not: [C,H,W] -> [C].
struct Mean {};
// Mean over groups of `voters` consecutive features.
struct Vote {
  int64_t voters = 1;
};
using Operation = std::variant<Input, Synapse, Norm, Neuron, Pool, Sum, Flatten, Mean, Vote>;

// "input", "synapse", …: the names in files and messages, in the order of Operation.
const std::vector<std::string>& operation_names();
// In the order of PoolKind.
const std::vector<std::string>& pool_names();

using NodeId = size_t;  // index in Graph::nodes

struct Node {
  std::string name;  // also begins the names of a layer's tensors: "conv1.weight"
  Operation operation;
  std::vector<NodeId> inputs;
  Shape out;  // set by Graph::add

  // The node as a Synapse, a Norm, …; null when it is something else.
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&operation);
  }
  [[nodiscard]] const std::string& operation_name() const {
    return operation_names()[operation.index()];
  }
};

// Built only by add(), which checks each node: a Graph is always valid, and complete once finish()
// has been called.
class Graph {
 public:
  // name: the network's name, such as "6conv2fc". classes: the name of each class, which may be its
  // number. The first node is the input, called "input".
  Graph(std::string name, const FrameShape& frame, std::vector<std::string> classes);

  // Adds a node that reads `inputs`, infers its shape and returns its id. A synapse's shape.cin may
  // be 0; it is then set to the channels of its input. An Error names the node.
  NodeId add(std::string name, Operation operation, std::vector<NodeId> inputs);
  // Checks that every node except the last is read, and that the last gives one score per class.
  void finish() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const FrameShape& frame() const { return frame_; }
  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_.at(id); }
  [[nodiscard]] std::optional<NodeId> find(const std::string& name) const;
  [[nodiscard]] const Node& input_of(const Node& node) const { return nodes_[node.inputs[0]]; }

 private:
  std::string name_;
  FrameShape frame_;
  std::vector<std::string> classes_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, NodeId> by_name_;
};

// "0", "1", …: names for classes that have none.
std::vector<std::string> numbered_classes(int64_t n);

}  // namespace spikenm::graph
