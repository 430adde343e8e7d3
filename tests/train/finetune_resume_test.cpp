// A method that acts in finetune with an optimiser of its own, stopped there and gone on with.
#include "support/stopped_run.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::TinyRun;

// Pulls a parameter of its own with a gradient of 1, by momentum.
class Pulls : public sparsity::Method {
 public:
  Pulls() : Method({}), own(at::zeros({1}).set_requires_grad(true)) {}
  [[nodiscard]] bool acts_in_finetune() const override { return true; }
  std::vector<sparsity::ParamGroup> param_groups() override {
    return {{.tensors = {own},
             .lr = 0.5,
             .optimizer = {.kind = nn::OptimizerKind::kSgd, .momentum = 0.9}}};
  }
  void after_backward(const sparsity::StepInfo&) override { own.mutable_grad() = at::ones({1}); }
  [[nodiscard]] std::optional<int64_t> recording() const override { return 0; }
  at::Tensor own;

 protected:
  void visit_own_state(nn::StateVisitor& visitor) override { visitor.tensor("own", own); }
};

// Nine steps of search and nine of finetune; what the parameter ends as.
float ends_at(const std::filesystem::path& checkpoints, int64_t stop, bool resumes) {
  struct Stopped {};
  TinyRun* current = nullptr;
  TinyRun run({"method.name=dense"}, {.between_steps = [&] {
                if (current->trainer.steps() == stop) throw Stopped();
              }});
  current = &run;
  auto method = std::make_unique<Pulls>();
  const at::Tensor own = method->own;
  run.recipe.model.method = std::make_unique<sparsity::Pruning>(std::move(method));
  if (resumes) {
    EXPECT_EQ(load_newest_checkpoint(checkpoints, test::state_of(run.trainer))->step, 13);
  }
  try {
    run.trainer.train();
  } catch (const Stopped&) {
    write_checkpoint(checkpoints, copy_state(test::state_of(run.trainer)), {.step = stop}, 2);
  }
  return own.item<float>();
}

TEST(FinetuneResume, AMethodThatActsThereGoesOnWithItsMoments) {
  const test::TempDir checkpoints, none;
  const float whole = ends_at(none.path(), -1, /*resumes=*/false);
  const float stopped = ends_at(checkpoints.path(), 13, /*resumes=*/false);
  EXPECT_LT(whole, stopped);  // in the middle of finetune
  EXPECT_LT(stopped, 0);
  EXPECT_EQ(ends_at(checkpoints.path(), -1, /*resumes=*/true), whole);
}

}  // namespace
}  // namespace spikenm::train
