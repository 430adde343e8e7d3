#include "spikenm/train/phase.h"
#include "spikenm/train/phases/phase_rows.h"

namespace spikenm::train {

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
