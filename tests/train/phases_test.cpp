// The phases as a trainer runs them: what validation sees, and what prune leaves behind.
#include "spikenm/train/phase.h"

#include "spikenm/train/evaluate.h"
#include "support/tiny_run.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using test::TinyRun;

const std::vector<std::string> kSearchAndPrune{"train.epochs=1", "train.search_epochs=1",
                                               "train.phases=[\"search\", \"prune\"]"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), kSearchAndPrune.begin(), kSearchAndPrune.end());
  return more;
}

double validation_loss(TinyRun& run) {
  data::Loader loader(run.recipe.views->validation, {.batch_size = 20});
  return evaluate(*run.recipe.model.network, loader, run.recipe.model.T, run.recipe.loss).loss;
}

// Magnitude trains every weight as dense does, so both have the same weights when validation comes:
// what it measures differs by the mask alone, and is what prune then makes of the network.
TEST(Search, ValidatesOnTheMaskThatPruneWouldFreeze) {
  TinyRun dense(with({"method.name=dense"})),
      masked(with({"method.name=magnitude", "method.pattern=1:8"}));
  dense.trainer.train();
  const double without_mask = validation_loss(dense);
  EXPECT_DOUBLE_EQ(dense.metrics().at(0).at("val_loss").get<double>(), without_mask);
  masked.trainer.train();
  const double logged = masked.metrics().at(0).at("val_loss").get<double>();
  EXPECT_DOUBLE_EQ(logged, validation_loss(masked));
  EXPECT_GT(std::abs(logged - without_mask), 1e-3);
}

// The mask of the last training step is what validation sees: it draws no other.
TEST(Search, ValidationRedrawsNothing) {
  TinyRun run(with({"method.name=spikenm", "method.preset=paper"}));
  run.trainer.train();
  EXPECT_DOUBLE_EQ(run.metrics().at(0).at("val_loss").get<double>(), validation_loss(run));
}

TEST(Prune, ForgetsTheMomentsOfTheWeightsItDrops) {
  for (const char* optimizer : {"sgd", "adam"}) {
    TinyRun run(with({"method.name=magnitude", std::string("train.optimizer=") + optimizer}));
    run.trainer.train();
    run.trainer.optimizer().zero_grad();
    for (const sparsity::LayerMask& m : run.trainer.masks().weights)
      m.synapse->weight.mutable_grad() = at::zeros_like(m.synapse->weight);
    const at::Tensor before = run.trainer.masks().weights[0].synapse->weight.detach().clone();
    run.trainer.optimizer().step(0.1);  // by moments alone
    for (const sparsity::LayerMask& m : run.trainer.masks().weights) {
      const at::Tensor dropped = m.synapse->weight.detach().masked_select(m.keep.eq(0));
      ASSERT_GT(dropped.numel(), 0);
      EXPECT_EQ(dropped.abs().max().item<float>(), 0) << optimizer << " " << m.synapse->name;
    }
    const sparsity::LayerMask& first = run.trainer.masks().weights[0];
    const at::Tensor moved = first.synapse->weight.detach().ne(before);
    EXPECT_GT(moved.sum().item<int64_t>(), first.keep.sum().item<int64_t>() / 2) << optimizer;
  }
}

// The same run with a pull on the weights that only finetune can have made: prune comes first, and
// nothing is searched.
TEST(Finetune, LetsAMethodActThatWantsTo) {
  const auto size_after = [](const char* method, const char* penalty) {
    TinyRun run({"model.name=small_conv", "model.width=4", "train.epochs=2",
                 "train.search_epochs=0", "train.optimizer=sgd", "train.lr=0.1",
                 "train.schedule=constant", "train.phases=[\"prune\", \"finetune\"]",
                 std::string("method.name=") + method, std::string("method.penalty=") + penalty});
    run.trainer.train();
    return run.recipe.model.network->synapses()[1].weight.detach().abs().sum().item<double>();
  };
  EXPECT_LT(size_after("sca", "0.05"), 0.75 * size_after("sca", "0"));
  EXPECT_EQ(size_after("nsl", "0.05"), size_after("nsl", "0"));  // it does not want to
}

// A parameter of its own falls by half of its gradient of 1 in every step.
class ActsInFinetune : public sparsity::Method {
 public:
  ActsInFinetune() : Method({}), own(at::zeros({1}).set_requires_grad(true)) {}
  [[nodiscard]] bool acts_in_finetune() const override { return true; }
  std::vector<sparsity::ParamGroup> param_groups() override {
    return {{.tensors = {own},
             .lr = 0.5,
             .optimizer = {.kind = nn::OptimizerKind::kSgd, .momentum = 0}}};
  }
  void begin_step(const sparsity::StepInfo& info) override { begun_ += info.is_frozen ? 1 : 0; }
  void after_backward(const sparsity::StepInfo&) override {
    EXPECT_FALSE(own.grad().defined());  // cleared before the step
    own.mutable_grad() = at::ones({1});
  }
  [[nodiscard]] std::optional<int64_t> recording() const override { return version; }
  Json take_statistics() override { return {{"begun", std::exchange(begun_, 0)}}; }
  at::Tensor own;
  std::optional<int64_t> version;

 private:
  int begun_ = 0;
};

// Nine steps per epoch.
TEST(Finetune, TrainsTheParametersOfAMethodThatActsThere) {
  TinyRun run({"train.search_epochs=0", "train.phases=[\"prune\", \"finetune\"]",
               "train.schedule=constant", "method.name=dense"});
  auto method = std::make_unique<ActsInFinetune>();
  const at::Tensor own = method->own;
  run.recipe.model.method = std::make_unique<sparsity::Pruning>(std::move(method));
  run.trainer.train();
  EXPECT_EQ(own.item<float>(), -9);  // two epochs
  for (const Json& line : run.metrics()) EXPECT_EQ(line.at("begun"), 9);
}

TEST(Finetune, IsRecordedIfTheMethodsThatActThereAllowIt) {
  const auto recording = [](TinyRun& run) {
    return phases().find("finetune")().begin(run.trainer).step.recording();
  };
  TinyRun run({"method.name=dense"});
  EXPECT_EQ(recording(run), 0);
  auto method = std::make_unique<ActsInFinetune>();
  ActsInFinetune& acting = *method;
  run.recipe.model.method = std::make_unique<sparsity::Pruning>(std::move(method));
  EXPECT_EQ(recording(run), std::nullopt);
  acting.version = 5;
  const std::optional<int64_t> before = recording(run);
  ASSERT_TRUE(before.has_value());
  acting.version = 6;
  EXPECT_NE(recording(run), before);
}

}  // namespace
}  // namespace spikenm::train
