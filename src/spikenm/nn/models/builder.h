// Networks that are one chain: blocks of synapse, norm, neuron and pool, then a vote.
#pragma once

#include "spikenm/nn/models/models.h"

#include <optional>

namespace spikenm::nn {

// Adds layers in order and tracks the shape that flows; build() ends with the classifier's vote.
class ChainBuilder {
 public:
  explicit ChainBuilder(const ModelSpec& spec);
  ~ChainBuilder();

  // 3x3 convolution, padding 1, batch norm and neuron: "conv1", "conv2", ….
  ChainBuilder& conv(int64_t out_channels);
  ChainBuilder& pool(ops::PoolKind kind, int64_t size = 2);
  // Linear layer with batch norm and neuron: "fc1", …. The first one flattens.
  ChainBuilder& linear(int64_t out_features);
  // Linear layer to classes * voters without norm or neuron, and the vote.
  std::unique_ptr<Network> classify(int64_t voters);

 private:
  struct Block {
    Synapse* synapse = nullptr;
    Norm* norm = nullptr;
    Neuron* neuron = nullptr;
    std::optional<ops::PoolKind> pool;
    int64_t pool_size = 2;
  };
  class Chain;

  Synapse* add_synapse(const std::string& name, const nm::WeightShape& shape, int64_t padding);
  void add_norm_and_neuron(Block& block, const std::string& suffix, int64_t channels);

  ModelSpec spec_;
  std::unique_ptr<Chain> chain_;
  int64_t channels_, height_, width_;
  int n_convs_ = 0, n_linears_ = 0;
};

}  // namespace spikenm::nn
