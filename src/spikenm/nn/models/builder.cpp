#include "spikenm/nn/models/builder.h"

#include "spikenm/core/error.h"

#include <ATen/ATen.h>

#include <cmath>

namespace spikenm::nn {

class ChainBuilder::Chain : public Network {
 public:
  Tensor forward(Pass& pass, const Tensor& input) override {
    Tensor x = input;
    for (Block& block : blocks) {
      if (block.synapse != nullptr) {
        if (block.synapse->weight.size(2) == 1 && x.dim() > 3) x = x.flatten(2);
        x = pass.synapse(*block.synapse, x);
      }
      if (block.norm != nullptr) x = pass.norm(*block.norm, x);
      if (block.neuron != nullptr) x = pass.neuron(*block.neuron, x);
      if (block.pool) x = pass.pool(*block.pool, block.pool_size, x);
    }
    return vote(x, voters);
  }

  std::vector<Block> blocks;
  int64_t voters = 1;
  friend class ChainBuilder;
};

ChainBuilder::ChainBuilder(const ModelSpec& spec)
    : spec_(spec),
      chain_(std::make_unique<Chain>()),
      channels_(spec.channels),
      height_(spec.height),
      width_(spec.width) {}

ChainBuilder::~ChainBuilder() = default;

Synapse* ChainBuilder::add_synapse(const std::string& name, const nm::WeightShape& shape,
                                   int64_t padding) {
  const auto index = static_cast<uint32_t>(chain_->synapses_.size());
  Synapse& synapse = chain_->synapses_.emplace_back();
  synapse.name = name;
  synapse.weight = kaiming_weight(shape, spec_.seed, index).set_requires_grad(true);
  synapse.geometry.padding = padding;
  return &synapse;
}

void ChainBuilder::add_norm_and_neuron(Block& block, const std::string& suffix, int64_t channels) {
  Norm& norm = chain_->norms_.emplace_back();
  norm.name = "bn_" + suffix;
  norm.state.gamma = at::ones({channels}).set_requires_grad(true);
  norm.state.beta = at::zeros({channels}).set_requires_grad(true);
  norm.state.running_mean = at::zeros({channels});
  norm.state.running_var = at::ones({channels});
  Neuron& neuron = chain_->neurons_.emplace_back();
  neuron.name = neuron_name(spec_.neuron.params.neuron) + "_" + suffix;
  neuron.params = spec_.neuron.params;
  if (neuron.params.neuron == kernels::Neuron::kPlif) {
    // k = sigmoid(w) starts at 1/tau.
    neuron.leak_logit =
        at::full({1}, -std::log(spec_.neuron.tau - 1), at::kFloat).set_requires_grad(true);
  }
  block.norm = &norm;
  block.neuron = &neuron;
}

ChainBuilder& ChainBuilder::conv(int64_t out_channels) {
  SPIKENM_CHECK(n_linears_ == 0, "model: a convolution cannot follow a linear layer");
  Block block;
  const std::string name = fmt::format("conv{}", ++n_convs_);
  block.synapse = add_synapse(name, {out_channels, channels_, 3, 3}, 1);
  add_norm_and_neuron(block, name, out_channels);
  channels_ = out_channels;
  chain_->blocks.push_back(block);
  return *this;
}

ChainBuilder& ChainBuilder::pool(ops::PoolKind kind, int64_t size) {
  SPIKENM_CHECK(n_linears_ == 0 && height_ >= size && width_ >= size,
                "model: a {0}x{0} pool finds a {1}x{2} map, too small; use fewer pools", size,
                height_, width_);
  Block block;
  block.pool = kind;
  block.pool_size = size;
  height_ /= size;
  width_ /= size;
  chain_->blocks.push_back(block);
  return *this;
}

ChainBuilder& ChainBuilder::linear(int64_t out_features) {
  Block block;
  const int64_t features = channels_ * height_ * width_;
  const std::string name = fmt::format("fc{}", ++n_linears_);
  block.synapse = add_synapse(name, {out_features, features, 1, 1}, 0);
  add_norm_and_neuron(block, name, out_features);
  channels_ = out_features;
  height_ = width_ = 1;
  chain_->blocks.push_back(block);
  return *this;
}

std::unique_ptr<Network> ChainBuilder::classify(int64_t voters) {
  Block block;
  const int64_t features = channels_ * height_ * width_;
  block.synapse =
      add_synapse(fmt::format("fc{}", ++n_linears_), {spec_.classes * voters, features, 1, 1}, 0);
  chain_->blocks.push_back(block);
  chain_->voters = voters;
  return std::move(chain_);
}

}  // namespace spikenm::nn
