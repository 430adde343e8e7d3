#include "spikenm/nn/models/models.h"

namespace spikenm::nn {

// One row a model; the factory is defined in the file of its name.
#define SPIKENM_MODELS(row)                                                                \
  row("mlp", make_mlp, "fully connected: [model] hidden = [256]")                          \
      row("small_conv", make_small_conv, "three 3x3 convolutions and a classifier: width") \
          row("vgg", make_vgg, "3x3 convolutions and pools in the order of [model] layers")

#define SPIKENM_DECLARE(name, make, summary) \
  std::unique_ptr<Network> make(const ModelSpec&, const Config&);
SPIKENM_MODELS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<ModelFactory>& models() {
#define SPIKENM_ROW(name, make, summary) {name, summary, make},
  static const Registry<ModelFactory> registry("model", {SPIKENM_MODELS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::nn
