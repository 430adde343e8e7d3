// Networks that are one chain: units and pools, then a vote.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/graph/models/models.h"

namespace spikenm::graph {

// Throws an Error that names the key when it lists more layers than a chain may have before its
// last.
void check_n_layers(size_t n, const std::string& key);

inline const IntKey kVoters{"voters", 10, 1, 1000, "outputs whose mean is the score of a class"};

// What follows a linear layer.
struct LinearOptions {
  bool norm = true;
  bool neuron = true;
};

// Adds layers in order. Convolutions after the first have neurons that may be masked. A static
// image is the input of the first layer at every step. The result is the same as computing the
// current once and repeating it, as repeats change neither mean nor variance.
class ChainBuilder {
 public:
  ChainBuilder(const std::string& name, const ModelSpec& spec);

  // 3x3 convolution, padding 1, batch norm and neuron: "conv1", "conv2", ….
  ChainBuilder& conv(int64_t out_channels);
  // Windows of size x size, without overlap.
  ChainBuilder& pool(PoolKind kind, int64_t size = 2);
  // "fc1", …. The first one flattens its input.
  ChainBuilder& linear(int64_t out_features, const LinearOptions& options = {});
  // The last linear layer, with classes * voters outputs and no norm, and the vote. Scores are
  // analog, or votes of spikes with `neuron`.
  Graph classify(int64_t voters, bool neuron = false);

 private:
  ModelSpec spec_;
  Graph graph_;
  NodeId last_ = 0;
  int n_convs_ = 0, n_pools_ = 0, n_linears_ = 0;
};

}  // namespace spikenm::graph
