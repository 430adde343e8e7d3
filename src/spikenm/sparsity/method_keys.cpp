#include "spikenm/sparsity/method_keys.h"

#include "spikenm/sparsity/layer_keys.h"
#include "spikenm/sparsity/methods/esl_keys.h"
#include "spikenm/sparsity/methods/grad_r_keys.h"
#include "spikenm/sparsity/methods/gradual_keys.h"
#include "spikenm/sparsity/methods/gradual_rewire_keys.h"
#include "spikenm/sparsity/methods/nsl_keys.h"
#include "spikenm/sparsity/methods/pattern_class_keys.h"
#include "spikenm/sparsity/methods/random_keys.h"
#include "spikenm/sparsity/methods/rewire_keys.h"
#include "spikenm/sparsity/methods/sca_keys.h"
#include "spikenm/sparsity/methods/spikenm_keys.h"
#include "spikenm/sparsity/methods/sr_ste_keys.h"
#include "spikenm/sparsity/methods/stds_keys.h"
#include "spikenm/sparsity/methods/upr_keys.h"
#include "spikenm/sparsity/neuron_pruning_keys.h"

namespace spikenm::sparsity {

std::vector<KeyGroup> method_keys() {
  const auto masks = [](const KeyList& own) {
    return join_keys(join_keys(own, layer_keys()), {&kAxis});
  };
  return {
      {"method", "", join_keys({&kMethodName}, neuron_pruning_keys())},
      {"method", "dense", {}},
      {"method", "esl", join_keys(esl_key::all(), choice_keys())},
      {"method", "grad-r", join_keys(grad_r_key::all(), choice_keys())},
      {"method", "gradual", masks(gradual_key::all())},
      {"method", "gradual-rewire", masks(gradual_rewire_key::all())},
      {"method", "magnitude", masks({})},
      {"method", "nsl", join_keys(nsl_key::all(), choice_keys())},
      {"method", "pattern-class", masks(pattern_class_key::all())},
      {"method", "random", masks(random_key::all())},
      {"method", "rewire", masks(rewire_key::all())},
      {"method", "sca", join_keys(sca_key::all(), choice_keys())},
      {"method", "spikenm", join_keys(spikenm_key::all(), layer_keys())},
      {"method", "sr-ste", masks(sr_ste_key::all())},
      {"method", "stds", join_keys(stds_key::all(), choice_keys())},
      {"method", "upr", join_keys(upr_key::all(), choice_keys())},
  };
}

}  // namespace spikenm::sparsity
