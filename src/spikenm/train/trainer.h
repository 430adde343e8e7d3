// The training loop: batch -> loss -> backward -> step, epoch by epoch. It works with any method
// and any phases. It never sees the test split, only the train and validation views.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/data/loader.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/cursor.h"
#include "spikenm/train/early_stop.h"
#include "spikenm/train/epoch_display.h"
#include "spikenm/train/epoch_record.h"
#include "spikenm/train/mask_watch.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/step.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace spikenm::train {

// Functions that the trainer calls; any of them may be null.
struct TrainerCalls {
  // Called after each step, and after each epoch when its metrics are written. At these moments the
  // state is complete and may be saved.
  std::function<void()> between_steps, after_epoch;
  // Called with the metrics line of each epoch, and the masks of its validation.
  std::function<void(const Json& line, const sparsity::Masks& masks)> logged;
  // Called when the network is better on validation than after all earlier epochs of finetuning.
  std::function<void(const EpochRecord&)> found_best;
};

class Trainer {
 public:
  // Writes one metrics line per epoch to `run`. After the first line the run replaces an older run
  // in its folder (RunDir::promote).
  Trainer(Recipe& recipe, RunDir& run, Display display, TrainerCalls calls = {});

  // Runs the recipe's phases in order, from the cursor on.
  void train();

  // Phases use these.
  void freeze(sparsity::Masks masks);
  [[nodiscard]] const Schedule& schedule() const { return recipe_.schedule; }
  sparsity::Pruning& method() { return *recipe_.model.method; }
  nn::Optimizer& optimizer() { return stepper_.optimizer(); }
  [[nodiscard]] const sparsity::Masks& masks() const { return masks_; }
  // Whether a phase has frozen them: the method is not asked any more.
  [[nodiscard]] bool is_frozen() const { return is_frozen_; }

  // Shows the visitor all that train() needs to continue as if it had never stopped.
  void visit_state(nn::StateVisitor& visitor);
  [[nodiscard]] const Cursor& cursor() const { return cursor_; }
  // Where the next step is, as place_of() says it.
  [[nodiscard]] std::string where() const {
    return place_of(cursor_, recipe_.train, train_.batches());
  }

  [[nodiscard]] at::Device device() const { return recipe_.model.network->device(); }
  // Waits until a GPU has done all steps that were given to it.
  void finish_steps() const;
  // Throws Diverged if steps went wrong, or if a weight or statistic is not finite. A state that
  // passes may be saved. Waits for the GPU.
  void check_state();

  // Says that a best network with this accuracy on validation has been saved already.
  void set_best(double accuracy) { best_accuracy_ = std::max(best_accuracy_, accuracy); }
  void forget_best() { best_accuracy_ = -1; }
  [[nodiscard]] bool has_best() const { return best_accuracy_ >= 0; }
  [[nodiscard]] const Json& phase_seconds() const { return phase_seconds_; }
  // What the method adds to result.json after its search.
  [[nodiscard]] const Json& outcome() const { return outcome_; }

  // Whether any step is left to do.
  [[nodiscard]] bool has_steps_left() const {
    return train::has_steps_left(cursor_, recipe_.train) && stopped_early_ == 0;
  }
  // The epoch after which finetuning ended early; 0: it did not.
  [[nodiscard]] int64_t stopped_early() const { return stopped_early_; }

  // Steps done in all phases, and how many of them were skipped because half precision overflowed.
  [[nodiscard]] int64_t steps() const {
    return cursor_.epochs_done * train_.batches() + cursor_.batch;
  }
  [[nodiscard]] int64_t skipped_steps() const {
    return stepper_.scaler() == nullptr ? 0 : stepper_.scaler()->skipped_steps();
  }

 private:
  void run_phase(const std::string& name, const Phase& phase);
  EpochRecord train_epoch(const std::string& name, const Phase& phase, int64_t epochs_in_phase,
                          const StepHooks& hooks);
  void count(const StepResult& step);
  void look(const StepResult& step, const EpochRecord& record);
  void check_steps();
  void validate(EpochRecord& record);
  void log_epoch(EpochRecord& record, const PhaseHooks& hooks, const sparsity::Masks& masks);
  void finish_epoch(EpochRecord& record, const PhaseHooks& hooks, bool finetunes);
  void keep_if_best(const EpochRecord& record);
  void start_sums();
  [[nodiscard]] bool asks_method() const;  // whether this phase or a later one does

  Recipe& recipe_;
  RunDir& run_;
  EpochDisplay display_;
  TrainerCalls calls_;
  data::Loader train_;
  bool has_validation_;
  data::Loader watched_;  // validation; without one, a batch of training samples
  Stepper stepper_;
  Cursor cursor_;
  // Sums over this epoch so far, [] on the network's device. Steps whose loss is not finite are left
  // out, and good_steps_ counts the others.
  at::Tensor loss_sum_, correct_, good_steps_;
  double epoch_seconds_ = 0;  // spent on this epoch so far, also before a stop
  sparsity::Masks masks_;
  bool is_frozen_ = false;
  double best_accuracy_ = -1;  // on validation; -1: none yet
  MaskWatch mask_watch_;
  EarlyStop early_stop_;
  int64_t stopped_early_ = 0;
  Json phase_seconds_ = Json::object(), outcome_;
};

}  // namespace spikenm::train
