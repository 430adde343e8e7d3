#include "spikenm/train/optimizer_options.h"

#include "spikenm/train/optimizer_keys.h"

namespace spikenm::train {

nn::OptimizerOptions read_optimizer_options(const Config& config) {
  nn::OptimizerOptions o;
  o.kind = static_cast<nn::OptimizerKind>(kOptimizer.read(config));
  if (o.kind == nn::OptimizerKind::kSgd) {
    o.momentum = kMomentum.read(config, o.momentum);
    o.nesterov = kNesterov.read(config, o.nesterov);
    if (o.momentum == 0) config.no_effect("nesterov", {"momentum"});
    for (const char* key : {"beta1", "beta2", "eps"}) config.no_effect(key, {"optimizer"});
  } else {
    for (const char* key : {"momentum", "nesterov"}) config.no_effect(key, {"optimizer"});
    o.beta1 = kBeta1.read(config, o.beta1);
    o.beta2 = kBeta2.read(config, o.beta2);
    o.eps = kEps.read(config, o.eps);
  }
  o.weight_decay = kWeightDecay.read(config, o.weight_decay);
  return o;
}

}  // namespace spikenm::train
