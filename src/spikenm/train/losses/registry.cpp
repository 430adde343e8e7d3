#include "spikenm/train/loss.h"

namespace spikenm::train {

// One row per loss; <loss>_loss and <loss>_of_constant are defined in the file of the same name.
// clang-format off
#define SPIKENM_LOSSES(row) \
  row(ce,  "cross entropy of the mean score over time") \
  row(mse, "squared error of the mean score to one-hot") \
  row(tet, "cross entropy of every step, averaged over time")
// clang-format on

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
