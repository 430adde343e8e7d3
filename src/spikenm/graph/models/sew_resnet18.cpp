#include "spikenm/graph/models/neuron_options.h"
#include "spikenm/graph/models/residual.h"

namespace spikenm::graph {
namespace {

const IntKey kWidth{
    "width", 64, 1, 4096,
    "channels of the stem and the first of four stages, each twice as wide as the one before"};
const ChoiceKey kStem{"stem",
                      "cifar",
                      {"cifar", "imagenet"},
                      "cifar: a 3x3 convolution; imagenet: 7x7 and a max pool, both of stride 2"};
const ChoiceKey kBlockNeuron{"block_neuron", "if", neuron_names(),
                             "neurons of the blocks, and of an imagenet stem"};

}  // namespace

// Four stages of two blocks. The linear head is neither masked nor counted.
Graph make_sew_resnet18(const ModelSpec& spec, const Config& config) {
  const int64_t width = kWidth.read(config);
  const bool imagenet = kStem.read(config) == 1;
  const Neuron block_neuron = read_neuron_kind(config, kBlockNeuron, spec.neuron);

  ResidualBuilder builder("sew_resnet18", spec);
  if (imagenet) {
    builder.stem(width, 7, 2, block_neuron);
    builder.stem_pool({.kind = PoolKind::kMax, .size = 3, .stride = 2, .padding = 1});
  } else {
    builder.stem(width, 3, 1, spec.neuron);
  }
  builder.stage(width, 2, 1, block_neuron);
  builder.stage(2 * width, 2, 2, block_neuron);
  builder.stage(4 * width, 2, 2, block_neuron);
  builder.stage(8 * width, 2, 2, block_neuron);
  return builder.classify("head", read_voters(config, spec.n_classes(), 8 * width),
                          /*maskable=*/false);
}

KeyList sew_resnet18_keys() {
  return {&kWidth, &kStem, &kBlockNeuron, &kFewerVoters};
}

}  // namespace spikenm::graph
