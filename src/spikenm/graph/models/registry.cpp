#include "spikenm/graph/models/models.h"

namespace spikenm::graph {

// One row a model; the factory is defined in the file of its name.
// clang-format off
#define SPIKENM_MODELS(row) \
  row("mlp",          make_mlp,          "fully connected: [model] hidden = [256], voters") \
  row("small_conv",   make_small_conv,   "three 3x3 convolutions and a classifier: width, pool, voters") \
  row("vgg",          make_vgg,          "3x3 convolutions and pools in the order of [model] layers: layers, fc, voters") \
  row("6conv2fc",     make_6conv2fc,     "UPR's CIFAR-10 network: width, fc, fc_norm, voters") \
  row("vggsnn",       make_vggsnn,       "the CIFAR10-DVS network, 8 convolutions and a classifier: width, voters") \
  row("vgg13",        make_vgg13,        "the DVS-Gesture network, 10 convolutions and a classifier: width, voters") \
  row("sew_resnet18", make_sew_resnet18, "SEW-ResNet-18: width, stem = cifar | imagenet, block_neuron, voters") \
  row("resnet19",     make_resnet19,     "ResNet-19 with SEW blocks and two linear layers: width, voters")
// clang-format on

#define SPIKENM_DECLARE(name, make, summary) Graph make(const ModelSpec&, const Config&);
SPIKENM_MODELS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<ModelFactory>& models() {
#define SPIKENM_ROW(name, make, summary) {name, summary, make},
  static const Registry<ModelFactory> registry("model", {SPIKENM_MODELS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::graph
