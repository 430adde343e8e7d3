// Residual spiking networks: a stem, stages of basic blocks, global average pool, linear layers.
#pragma once

#include "spikenm/nn/models/models.h"
#include "spikenm/nn/models/unit.h"

#include <optional>

namespace spikenm::nn {

// y = unit2(unit1(x)) + shortcut(x), or + x: the ADD of SEW-ResNet. Neurons fire before the sum, so
// that what flows between blocks are sums of spikes: 0, 1, 2, ….
struct BasicBlock {
  Unit unit1, unit2;
  std::optional<Unit> shortcut;  // where the shape changes

  [[nodiscard]] Tensor forward(Pass& pass, const Tensor& x) const;
};

class ResNet : public Network {
 public:
  explicit ResNet(const ModelSpec& spec);

  // Each adds layers behind those that are there. A static image is shown to the stem at every step
  // (see ChainBuilder).
  void add_stem(int64_t channels, int64_t kernel, int64_t stride, const NeuronSpec& neuron);
  void add_stem_pool(const ops::PoolGeometry& geometry);
  // Blocks of one width: "layer<stage>.<block>.conv1", "….conv2", "….shortcut". The first block has
  // the stride.
  void add_stage(int64_t channels, int64_t blocks, int64_t stride, const NeuronSpec& neuron);
  // Linear layers behind the global average pool have a bias and no norm.
  void add_hidden(const std::string& name, int64_t features, const NeuronSpec& neuron);
  // The last one, analog, to classes * voters, and the vote.
  void add_classifier(const std::string& name, int64_t classes, int64_t voters, bool maskable);

  Tensor forward(Pass& pass, const Tensor& input) override;

 private:
  Unit add_conv(const std::string& name, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                const NeuronSpec& neuron, bool neurons_maskable);
  void add_linear(const std::string& name, int64_t features,
                  const std::optional<NeuronSpec>& neuron, bool maskable);

  uint64_t seed_;
  bool shapes_only_;
  int64_t channels_;
  Unit stem_;
  std::optional<ops::PoolGeometry> stem_pool_;
  std::vector<BasicBlock> blocks_;
  std::vector<Unit> linears_;
  int n_stages_ = 0;
  int64_t voters_ = 1;
};

// 10 where ten voters a class are fewer than the features they read, else 1; `voters` overrides it.
int64_t read_voters(const Config& config, int64_t classes, int64_t features);

}  // namespace spikenm::nn
