#include "spikenm/train/loss.h"
#include "spikenm/train/losses/loss_rows.h"

namespace spikenm::train {

#define SPIKENM_DECLARE(name, summary)                          \
  at::Tensor name##_loss(const at::Tensor&, const at::Tensor&); \
  double name##_of_constant(int64_t classes);
SPIKENM_LOSSES(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<Loss>& losses() {
#define SPIKENM_ROW(name, summary) {#name, summary, {name##_loss, name##_of_constant}},
  static const Registry<Loss> registry("loss", {SPIKENM_LOSSES(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::train
