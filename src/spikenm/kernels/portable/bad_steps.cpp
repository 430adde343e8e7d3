#include "spikenm/kernels/math/bad_steps.h"

namespace spikenm::kernels {

void see_step(const SeenStep& step, BadSteps* state) {
  int64_t blamed = -1;
  for (int64_t i = 0; i < step.n; ++i)
    if (!std::isfinite(step.values[i])) blamed = i;
  count_step(step, blamed, *state);
}

}  // namespace spikenm::kernels
