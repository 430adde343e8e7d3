#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/trainer.h"

namespace spikenm::train {
namespace {

using sparsity::StepInfo;

// Eq. (22): weights and logits minimise task + lambda L_EID together. Validation uses the mask that
// prune would freeze now, without a redraw.
class Search : public Phase {
 public:
  [[nodiscard]] int64_t epochs(const TrainOptions& options) const override {
    return options.search_epochs;
  }

  void run(Trainer& trainer) override {
    sparsity::Method& method = trainer.method();
    const sparsity::MethodHooks hooks(method);
    std::vector<Optimizer> own;
    std::vector<double> rates;
    for (const sparsity::ParamGroup& group : method.param_groups()) {
      own.emplace_back(group.tensors,
                       OptimizerOptions{.kind = OptimizerKind::kAdam, .eps = group.eps});
      rates.push_back(group.lr);
    }
    Trainer::StepHooks step_hooks{.before_forward =
                                      [&](const Position& at) {
                                        method.begin_step(step_info(at));
                                        for (Optimizer& optimizer : own) optimizer.zero_grad();
                                      },
                                  .after_backward =
                                      [&](const Position& at) {
                                        method.after_backward(step_info(at));
                                        for (size_t i = 0; i < own.size(); ++i)
                                          own[i].step(rates[i] * trainer.schedule().factor_at(at));
                                      },
                                  .after_step = nullptr};
    const int64_t n = epochs(trainer.options());
    for (int64_t epoch = 0; epoch < n; ++epoch) {
      EpochRecord record =
          trainer.train_epoch("search", epoch, n, /*finetuning=*/false, step_hooks);
      {
        const sparsity::FrozenHooks frozen(sparsity::harden_all(method));
        trainer.validate(record);
      }
      record.extra = method.take_statistics();
      trainer.log_epoch(record);
    }
  }

 private:
  static StepInfo step_info(const Position& at) {
    return {.step = at.phase_step, .steps = at.phase_steps};
  }
};

}  // namespace

std::unique_ptr<Phase> make_search() {
  return std::make_unique<Search>();
}

}  // namespace spikenm::train
