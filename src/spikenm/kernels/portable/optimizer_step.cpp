#include "spikenm/kernels/math/optimizer_step.h"

#include "spikenm/core/parallel.h"

namespace spikenm::kernels {
namespace {

constexpr int64_t kGrain = int64_t{1} << 14;

}  // namespace

void set_guard(const GuardedStep& step, StepGuard* guard) {
  next_guard(step, *guard);
}

void adam_step(const AdamStep& args) {
  AdamStep a = args;  // a copy: the compiler knows that no store changes it
  if (!passes_guard(a)) return;
  parallel_for(a.n, kGrain, [a](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) adam_element(a, i);
  });
}

void sgd_step(const SgdStep& args) {
  const SgdStep a = args;
  if (!passes_guard(a)) return;
  parallel_for(a.n, kGrain, [a](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sgd_element(a, i);
  });
}

}  // namespace spikenm::kernels
