#include "spikenm/train/phase.h"

namespace spikenm::train {

// One row per phase; each factory is defined in the file with the phase's name.
// clang-format off
#define SPIKENM_PHASES(row) \
  row("search",   make_search,   "weights and the method's own parameters learn together") \
  row("prune",    make_prune,    "the method's mask is frozen and applied") \
  row("finetune", make_finetune, "weights alone learn under the frozen mask")
// clang-format on

#define SPIKENM_DECLARE(name, make, summary) Phase make();
SPIKENM_PHASES(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<PhaseFactory>& phases() {
#define SPIKENM_ROW(name, make, summary) {name, summary, make},
  static const Registry<PhaseFactory> registry("phase", {SPIKENM_PHASES(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::train
