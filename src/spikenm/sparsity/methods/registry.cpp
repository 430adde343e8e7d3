#include "spikenm/sparsity/method.h"

namespace spikenm::sparsity {

// One row a method; the factory is defined in the file of its name.
#define SPIKENM_METHODS(row)                                                                       \
  row("dense", make_dense, "no mask: what every other row is compared with") row(                  \
      "magnitude", make_magnitude, "train dense, keep the n largest |w| of a block at prune")      \
      row("random", make_random, "one random mask, drawn before the first step and never changed") \
          row("spikenm", make_spikenm,                                                             \
              "the paper's: Gumbel draws from trained logits, distilled credits")

#define SPIKENM_DECLARE(name, make, summary) \
  std::unique_ptr<Method> make(nn::Network&, const Config&, uint64_t seed);
SPIKENM_METHODS(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<MethodFactory>& methods() {
#define SPIKENM_ROW(name, make, summary) {name, summary, make},
  static const Registry<MethodFactory> registry("method", {SPIKENM_METHODS(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::sparsity
