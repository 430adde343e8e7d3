// Steps that are not finite, on the GPU: counted there, seen later, named as on the CPU.
#include "spikenm/ops/bad_steps.h"
#include "spikenm/core/diverged.h"
#include "support/expect_error.h"
#include "support/gpu.h"
#include "support/poisoned_run.h"

#include <cmath>

namespace spikenm::train {
namespace {

using test::PoisonedRun;

std::vector<std::string> on_gpu(std::vector<std::string> more) {
  more.emplace_back("device=cuda");
  return more;
}

TEST(BadStepsOnGpu, CountAsOnTheCpu) {
  for (const int64_t n : {0, 1, 31, 32, 33, 97})
    for (const int64_t bad : {int64_t{-1}, int64_t{0}, n / 2, n - 1}) {
      at::Tensor largest = at::ones({n}, at::kFloat), loss = at::full({}, 3.0, at::kDouble);
      if (bad >= 0 && bad < n) largest[bad] = NAN;
      if (bad > 1 && bad < n) largest[1] = INFINITY;
      ops::BadStepCounter here(at::kCPU, 2), there(at::kCUDA, 2);
      at::Tensor skip_here = at::zeros({1}), skip_there = at::zeros({1}, at::kCUDA);
      for (int step = 0; step < 3; ++step) {
        here.see(largest, loss, {}, skip_here);
        there.see(largest.cuda(), loss.cuda(), {}, skip_there);
        EXPECT_EQ(skip_here.item<float>(), skip_there.item<float>()) << n << " " << bad;
        // A second look, at as many values, of which others are bad.
        const at::Tensor more = largest.flip(0);
        here.see_more(more, n, loss, {}, skip_here);
        there.see_more(more.cuda(), n, loss.cuda(), {}, skip_there);
        EXPECT_EQ(skip_here.item<float>(), skip_there.item<float>()) << n << " " << bad;
      }
      EXPECT_EQ(here.row().in_a_row, there.row().in_a_row);
      EXPECT_EQ(here.row().first, there.row().first);
      EXPECT_EQ(here.row().blamed, there.row().blamed) << n << " " << bad;
    }
}

TEST(BadStepsOnGpu, TheFirstOneIsNamedThoughTheHostLooksLater) {
  for (const char* graphs : {"cuda_graphs=true", "cuda_graphs=false"}) {
    const std::vector<std::string> settings = on_gpu({"train.batch_size=5", graphs});
    PoisonedRun run(settings, 7, 999);
    EXPECT_ERROR(run.trainer.train(), "the gradient of fc1.weight", "epoch 1 of 2, batch 8 of 36",
                 "(step 8, samples ");
    EXPECT_THROW(PoisonedRun(settings, 7, 999).trainer.train(), Diverged);
    EXPECT_ERROR(run.trainer.check_state(), "fc1.weight");
  }
}

// What the method makes of the gradients is seen after the recorded part of the step.
TEST(BadStepsOnGpu, AGateThatIsPulledTooFarIsNamedOrSkipped) {
  for (const char* precision : {"precision=fp32", "precision=bf16"})
    for (const char* graphs : {"cuda_graphs=true", "cuda_graphs=false"}) {
      test::OverpulledRun run(on_gpu({precision, graphs}), 7, 999);
      EXPECT_ERROR(run.trainer.train(), ".m left the finite numbers", "epoch 1 of 2, batch 8 of 9",
                   "(step 8, samples ");
      test::OverpulledRun enough(on_gpu({precision, graphs, "train.bad_steps=3"}), 5, 7);
      enough.trainer.train();
    }
}

TEST(BadStepsOnGpu, ASecondLookAtAStepFindsWhatTheFirstCouldNot) {
  ops::BadStepCounter counter(at::kCUDA, 2);
  const at::Tensor good = at::ones({40}, at::kCUDA), bad = good.clone(),
                   loss = at::full({}, 3.0, at::device(at::kCUDA).dtype(at::kDouble)),
                   skip = at::zeros({1}, at::kCUDA);
  bad[33] = NAN;
  for (int step = 0; step < 2; ++step) {
    counter.see(good, loss, {}, skip);
    EXPECT_EQ(skip.item<float>(), 0);
    counter.see_more(bad, 40, loss, {}, skip);
    EXPECT_EQ(skip.item<float>(), 1);
  }
  EXPECT_EQ(counter.row().in_a_row, 2);
  EXPECT_EQ(counter.row().first, 0);
  EXPECT_EQ(counter.row().blamed, 73);
}

TEST(BadStepsOnGpu, AreSkipped) {
  for (const char* graphs : {"cuda_graphs=true", "cuda_graphs=false"}) {
    PoisonedRun run(on_gpu({"train.bad_steps=3", graphs}), 5, 7);
    run.trainer.train();
    for (const nn::NamedTensor& p : run.recipe.model.network->parameters())
      EXPECT_TRUE(p.tensor.isfinite().all().item<bool>()) << p.name;
  }
}

}  // namespace
}  // namespace spikenm::train
