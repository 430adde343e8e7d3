#include "spikenm/train/loss.h"

namespace spikenm::train {

// One row a loss; the function is defined in the file of its name.
#define SPIKENM_LOSSES(row)                                              \
  row("ce", ce_loss, "cross entropy of the mean score over time")        \
      row("mse", mse_loss, "squared error of the mean score to one-hot") \
          row("tet", tet_loss, "cross entropy of every step, averaged over time")

#define SPIKENM_DECLARE(name, loss, summary) at::Tensor loss(const at::Tensor&, const at::Tensor&);
SPIKENM_LOSSES(SPIKENM_DECLARE)
#undef SPIKENM_DECLARE

const Registry<Loss>& losses() {
#define SPIKENM_ROW(name, loss, summary) {name, summary, loss},
  static const Registry<Loss> registry("loss", {SPIKENM_LOSSES(SPIKENM_ROW)});
#undef SPIKENM_ROW
  return registry;
}

}  // namespace spikenm::train
