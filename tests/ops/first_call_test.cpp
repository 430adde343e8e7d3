// A program that never asked for threads: its first op must set ATen up, in every thread that takes
// part. Left at several threads, oneDNN opens a team of its own in each of ours, whose sums depend
// on its size. A program of its own, since any other test would have called use_threads before;
// ctest runs each test in a process of its own.
#include "spikenm/core/parallel.h"
#include "spikenm/ops/synapse.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <thread>

namespace spikenm::ops {
namespace {

int64_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// Forward and gradients that oneDNN computes in chunks. Small enough that ATen fills it alone.
void backward_of_a_convolution() {
  const at::Tensor x = at::ones({8, 8, 5, 8, 8});
  const at::Tensor w = at::ones({32, 5, 3, 3}).set_requires_grad(true);
  synapse(x, w, {.stride = 2, .padding = 1}).sum().backward();
}

// What is there before: CUDA's threads, and those that torch's backward opens for a GPU.
int64_t threads_of_torch() {
  at::ones({1}).set_requires_grad(true).mul(2).backward();
  return threads_of_process();
}

TEST(FirstCall, OneDnnOpensNoTeamInOurThreads) {
  const int64_t before = threads_of_torch();
  set_threads(2);
  for (int repeat = 0; repeat < 20; ++repeat) backward_of_a_convolution();
  EXPECT_EQ(threads_of_process(), before + 1);  // a worker
}

TEST(FirstCall, NorInAThreadOfTheUser) {
  at::set_num_threads(1);  // this thread's, and not that of the next
  const int64_t before = threads_of_torch();
  set_threads(2);
  std::thread([before] {
    backward_of_a_convolution();
    EXPECT_EQ(threads_of_process(), before + 2);  // this one and a worker
  }).join();
}

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
