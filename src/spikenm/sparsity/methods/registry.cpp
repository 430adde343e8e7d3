#include "spikenm/sparsity/method.h"
#include "spikenm/sparsity/methods/method_rows.h"

namespace spikenm::sparsity {

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
