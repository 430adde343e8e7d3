// Residual spiking networks: a stem, stages of basic blocks, global average pool, linear layers.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/graph/models/models.h"
#include "spikenm/graph/models/unit.h"

namespace spikenm::graph {

// A block is y = unit2(unit1(x)) + shortcut(x), or + x without a shortcut: the ADD of SEW-ResNet.
// Neurons fire before the sum, so the values between blocks are sums of spikes: 0, 1, 2, ….
class ResidualBuilder {
 public:
  ResidualBuilder(const std::string& name, const ModelSpec& spec);

  // Each function adds layers after the last one. A static image is the input of the stem at every
  // step (see ChainBuilder).
  void stem(int64_t channels, int64_t kernel, int64_t stride, const Neuron& neuron);
  void stem_pool(const PoolGeometry& geometry);
  // Blocks of one width: "layer<stage>.<block>.conv1", "….conv2", "….shortcut" if the shape
  // changes. The first block has the stride.
  void stage(int64_t channels, int64_t blocks, int64_t stride, const Neuron& neuron);
  // A linear layer after the global average pool; it has a bias and no norm.
  void hidden(const std::string& name, int64_t features, const Neuron& neuron);
  // The last linear layer, analog, with classes * voters outputs, and the vote.
  Graph classify(const std::string& name, int64_t voters, bool maskable);

 private:
  NodeId conv(const std::string& name, int64_t out, int64_t kernel, int64_t stride,
              const Neuron& neuron, NodeId input);
  void linear(const std::string& name, int64_t features, const std::optional<Neuron>& neuron,
              bool maskable);

  int64_t n_classes_;
  Graph graph_;
  NodeId last_ = 0;
  int n_stages_ = 0;
};

inline const IntKey kFewerVoters{
    "voters", Varies{"10, or 1 where ten a class are no fewer than the features they read"}, 1,
    1000, "outputs whose mean is the score of a class"};

// 10 if ten voters per class are fewer than the features they read, else 1; `voters` overrides it.
int64_t read_voters(const Config& config, int64_t classes, int64_t features);

}  // namespace spikenm::graph
