#include "spikenm/graph/models/model_keys.h"
#include "spikenm/graph/models/models.h"

namespace spikenm::graph {

// One row per model; the factory and its keys are defined in the file of its name.
// clang-format off
#define SPIKENM_MODELS(row) \
  row("mlp",          make_mlp,          mlp_keys,             "fully connected: [model] hidden = [256], voters") \
  row("small_conv",   make_small_conv,   small_conv_keys,      "three 3x3 convolutions and a classifier: width, pool, voters") \
  row("vgg",          make_vgg,          vgg_keys,             "3x3 convolutions and pools in the order of [model] layers: layers, fc, voters") \
  row("6conv2fc",     make_6conv2fc,     six_conv_two_fc_keys, "UPR's CIFAR-10 network: width, fc, fc_norm, voters") \
  row("vggsnn",       make_vggsnn,       vggsnn_keys,          "the CIFAR10-DVS network, 8 convolutions and a classifier: width, voters") \
  row("vgg13",        make_vgg13,        vgg13_keys,           "the DVS-Gesture network, 10 convolutions and a classifier: width, voters") \
  row("sew_resnet18", make_sew_resnet18, sew_resnet18_keys,    "SEW-ResNet-18: width, stem = cifar | imagenet, block_neuron, voters") \
  row("resnet19",     make_resnet19,     resnet19_keys,        "ResNet-19 with SEW blocks and two linear layers: width, voters")
// clang-format on

#define SPIKENM_DECLARE(name, make, keys, summary) \
  Graph make(const ModelSpec&, const Config&);     \
  KeyList keys();
SPIKENM_MODELS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<ModelFactory>& models() {
#define SPIKENM_ROW(name, make, keys, summary) {name, summary, make},
  static const Registry<ModelFactory> registry("model", {SPIKENM_MODELS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

std::vector<KeyGroup> keys_by_model() {
#define SPIKENM_ROW(name, make, keys, summary) {"model", name, keys()},
  return {SPIKENM_MODELS(SPIKENM_ROW)};
#undef SPIKENM_ROW
}

}  // namespace spikenm::graph
