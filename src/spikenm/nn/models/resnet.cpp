#include "spikenm/nn/models/resnet.h"

namespace spikenm::nn {

Tensor BasicBlock::forward(Pass& pass, const Tensor& x) const {
  const Tensor y = unit2.forward(pass, unit1.forward(pass, x));
  return y + (shortcut ? shortcut->forward(pass, x) : x);
}

ResNet::ResNet(const ModelSpec& spec)
    : seed_(spec.seed), shapes_only_(spec.shapes_only), channels_(spec.channels) {
  frame_ = spec.frame();
}

Unit ResNet::add_conv(const std::string& name, int64_t in, int64_t out, int64_t kernel,
                      int64_t stride, const NeuronSpec& neuron, bool neurons_maskable) {
  return add_unit(*this,
                  {.name = name,
                   .shape = {out, in, kernel, kernel},
                   .geometry = {.stride = stride, .padding = kernel / 2},
                   .neuron = neuron,
                   .neurons_maskable = neurons_maskable},
                  seed_, shapes_only_);
}

void ResNet::add_stem(int64_t channels, int64_t kernel, int64_t stride, const NeuronSpec& neuron) {
  stem_ = add_conv("stem", channels_, channels, kernel, stride, neuron, false);
  channels_ = channels;
}

void ResNet::add_stem_pool(const ops::PoolGeometry& geometry) {
  stem_pool_ = geometry;
}

void ResNet::add_stage(int64_t channels, int64_t blocks, int64_t stride, const NeuronSpec& neuron) {
  ++n_stages_;
  for (int64_t i = 0; i < blocks; ++i) {
    const std::string name = fmt::format("layer{}.{}.", n_stages_, i);
    const int64_t step = i == 0 ? stride : 1;
    BasicBlock block;
    block.unit1 = add_conv(name + "conv1", channels_, channels, 3, step, neuron, true);
    block.unit2 = add_conv(name + "conv2", channels, channels, 3, 1, neuron, true);
    if (step != 1 || channels_ != channels)
      block.shortcut = add_conv(name + "shortcut", channels_, channels, 1, step, neuron, true);
    blocks_.push_back(block);
    channels_ = channels;
  }
}

void ResNet::add_hidden(const std::string& name, int64_t features, const NeuronSpec& neuron) {
  add_linear(name, features, neuron, /*maskable=*/true);
}

void ResNet::add_classifier(const std::string& name, int64_t classes, int64_t voters,
                            bool maskable) {
  add_linear(name, classes * voters, {}, maskable);
  voters_ = voters;
}

void ResNet::add_linear(const std::string& name, int64_t features,
                        const std::optional<NeuronSpec>& neuron, bool maskable) {
  linears_.push_back(add_unit(*this,
                              {.name = name,
                               .shape = {features, channels_, 1, 1},
                               .geometry = {},
                               .norm = false,
                               .bias = true,
                               .neuron = neuron,
                               .maskable = maskable},
                              seed_, shapes_only_));
  channels_ = features;
}

Tensor ResNet::forward(Pass& pass, const Tensor& input) {
  Tensor x = stem_.forward(pass, input);
  if (stem_pool_) x = pass.pool(*stem_pool_, x);
  for (const BasicBlock& block : blocks_) x = block.forward(pass, x);
  x = global_average(x);
  for (const Unit& unit : linears_) x = unit.forward(pass, x);
  return vote(x, voters_);
}

int64_t read_voters(const Config& config, int64_t classes, int64_t features) {
  return config.get_int("voters", 10 * classes < features ? 10 : 1, 1, 1000);
}

}  // namespace spikenm::nn
