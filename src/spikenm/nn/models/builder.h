// Networks that are one chain: units and pools, then a vote.
#pragma once

#include "spikenm/nn/models/models.h"
#include "spikenm/nn/models/unit.h"

#include <string>

namespace spikenm::nn {

// An Error that names the key when it lists more layers than a network may have beside its last.
inline void check_n_layers(size_t n, const std::string& key) {
  SPIKENM_CHECK(n < kMostLayers, "{}: found {} layers, wanted at most {} (a fixed limit)", key, n,
                kMostLayers - 1);
}

// What follows a linear layer.
struct LinearOptions {
  bool norm = true;
  bool neuron = true;
};

// Adds layers in order and tracks the shape that flows. Convolutions after the first have neurons
// that may be masked. A static image is shown to the first layer at every step: the same result as
// computing the current once and repeating it, as repeats change neither mean nor variance.
class ChainBuilder {
 public:
  explicit ChainBuilder(const ModelSpec& spec);
  ~ChainBuilder();

  // 3x3 convolution, padding 1, batch norm and neuron: "conv1", "conv2", ….
  ChainBuilder& conv(int64_t out_channels);
  // Windows of size x size side by side.
  ChainBuilder& pool(ops::PoolKind kind, int64_t size = 2);
  // "fc1", …. The first one flattens.
  ChainBuilder& linear(int64_t out_features, const LinearOptions& options = {});
  // The last linear layer, to classes * voters without norm, and the vote; analog scores, or the
  // votes of spikes where `neuron`.
  std::unique_ptr<Network> classify(int64_t voters, bool neuron = false);

 private:
  class Chain;

  ModelSpec spec_;
  std::unique_ptr<Chain> chain_;
  int64_t channels_, height_, width_;
  int n_convs_ = 0, n_linears_ = 0;
};

}  // namespace spikenm::nn
