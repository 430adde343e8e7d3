// The training loop: batch -> loss -> backward -> step, epoch by epoch, for any method and phases
// that the recipe names. It sees only the train and validation views.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/data/loader.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/step.h"

#include <optional>
#include <string>
#include <vector>

namespace spikenm::train {

struct EpochRecord {
  std::string phase;
  int64_t epoch = 0;  // counted over all phases, from 1
  double lr = 0, loss = 0, train_accuracy = 0, val_loss = 0, val_accuracy = 0, seconds = 0;
  Json extra;  // what the method measured
};

// A copy of all tensors of a trained model, to restore it later.
struct Snapshot {
  std::vector<at::Tensor> tensors;
};
Snapshot take_snapshot(const nn::Network& network);
void restore_snapshot(nn::Network& network, const Snapshot& snapshot);

class Trainer {
 public:
  // `run` receives one metrics line per epoch, and after the first epoch takes the place of an
  // earlier run in its folder. `title` is shown before the progress bar.
  Trainer(Recipe& recipe, RunDir& run, std::string title);

  // Runs the recipe's phases in order.
  void train();

  // Called by phases.
  EpochRecord train_epoch(const std::string& phase, int64_t epoch, int64_t epochs_in_phase,
                          bool finetuning, const StepHooks& hooks);
  void validate(EpochRecord& record);
  void log_epoch(const EpochRecord& record);
  void keep_if_best(const EpochRecord& record);
  void freeze(sparsity::Masks masks) { masks_ = std::move(masks); }

  [[nodiscard]] const TrainOptions& options() const { return recipe_.train; }
  [[nodiscard]] const Schedule& schedule() const { return recipe_.schedule; }
  sparsity::Method& method() { return *recipe_.model.method; }
  Optimizer& optimizer() { return stepper_.optimizer(); }
  [[nodiscard]] const sparsity::Masks& masks() const { return masks_; }

  // The state that was best on validation, among epochs with a frozen mask; none without such
  // epochs.
  [[nodiscard]] const std::optional<Snapshot>& best() const { return best_; }
  [[nodiscard]] const Json& phase_seconds() const { return phase_seconds_; }

  // Over all phases. Skipped steps are those that overflowed half precision.
  [[nodiscard]] int64_t steps() const { return epochs_done_ * train_.batches(); }
  [[nodiscard]] int64_t skipped_steps() const {
    return stepper_.scaler() == nullptr ? 0 : stepper_.scaler()->skipped_steps();
  }

 private:
  void show(const EpochRecord& record, int64_t batch, double loss);

  Recipe& recipe_;
  RunDir& run_;
  std::string title_;
  data::Loader train_;
  std::optional<data::Loader> validation_;  // none with data.val_fraction = 0
  Stepper stepper_;
  sparsity::Masks masks_;
  std::optional<Snapshot> best_;
  double best_accuracy_ = -1;
  int64_t epochs_done_ = 0;
  Json phase_seconds_ = Json::object();
  ProgressLine progress_;
};

}  // namespace spikenm::train
