// A program that never asked for threads: its first op must set ATen up. Left at several threads,
// oneDNN plans this weight gradient for all of them, gets one inside our worker, and waits for ever
// (ctest ends the wait). A program of its own, since any other test would have called use_threads
// before.
#include "spikenm/core/parallel.h"
#include "spikenm/ops/synapse.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace spikenm::ops {
namespace {

TEST(FirstCall, ASynapseIsSafeBeforeAnybodyAsksForThreads) {
  set_threads(2);
  const at::Tensor x = at::ones({4, 3, 5, 7, 8});
  const at::Tensor w = at::ones({2, 5, 3, 3}).set_requires_grad(true);
  synapse(x, w, {.stride = 2, .padding = 1}).sum().backward();
  EXPECT_EQ(at::get_num_threads(), 1);
  // The middle tap sees every input under a stride of 2: 4 steps, 3 samples, 4 rows, 4 columns.
  EXPECT_FLOAT_EQ(w.grad()[0][0][1][1].item<float>(), 4 * 3 * 4 * 4);
}

}  // namespace
}  // namespace spikenm::ops
