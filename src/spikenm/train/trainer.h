// The training loop: batch -> loss -> backward -> step, epoch by epoch, for whatever method and
// phases the recipe names. It sees the train and validation views only.
#pragma once

#include "spikenm/core/json.h"
#include "spikenm/core/progress.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/data/loader.h"
#include "spikenm/sparsity/frozen_masks.h"
#include "spikenm/train/phase.h"
#include "spikenm/train/recipe.h"
#include "spikenm/train/step.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace spikenm::train {

struct EpochRecord {
  std::string phase;
  int64_t epoch = 0;  // counted over all phases, from 1
  double lr = 0, loss = 0, train_accuracy = 0, val_loss = 0, val_accuracy = 0, seconds = 0;
  bool is_validated = false;  // val_loss and val_accuracy are there
  Json extra;                 // what the method watched
};

// How far training has come.
struct Cursor {
  int64_t phase = 0;        // in the recipe's list
  int64_t epoch = 0;        // within the phase
  int64_t batch = 0;        // steps of this epoch that are done
  int64_t epochs_done = 0;  // of all phases
};

// What a run shows while it trains.
struct Display {
  std::string title;     // stands before the progress bar
  bool bar = true;       // on a terminal
  bool lines = true;     // one per epoch
  bool verbose = false;  // and with it what the method watched
};

// What the trainer's owner does at its moments; any may be null.
struct TrainerCalls {
  // Between two steps, or after an epoch that is logged: the state is whole and may be saved.
  std::function<void()> between_steps, after_epoch;
  // An epoch's metrics, as its line has them.
  std::function<void(const Json& line)> logged;
  // The network is the best so far on validation, among epochs under a frozen mask.
  std::function<void(const EpochRecord&)> found_best;
};

class Trainer {
 public:
  // `run` receives one metrics line per epoch, and from the first on is the run of its folder.
  Trainer(Recipe& recipe, RunDir& run, Display display, TrainerCalls calls = {});

  // Runs the recipe's phases in order, from where the cursor stands.
  void train();

  // For phases.
  void freeze(sparsity::Masks masks);
  [[nodiscard]] const Schedule& schedule() const { return recipe_.schedule; }
  sparsity::Method& method() { return *recipe_.model.method; }
  nn::Optimizer& optimizer() { return stepper_.optimizer(); }
  [[nodiscard]] const sparsity::Masks& masks() const { return masks_; }

  // All that train() needs to go on as if it had never stopped.
  void visit_state(nn::StateVisitor& visitor);
  [[nodiscard]] const Cursor& cursor() const { return cursor_; }
  // Where the next step is: "in search epoch 3 of 10, batch 17 of 90", or "after training".
  [[nodiscard]] std::string where() const;

  // A best network with this accuracy on validation is there already.
  void set_best(double accuracy) { best_accuracy_ = std::max(best_accuracy_, accuracy); }
  [[nodiscard]] bool has_best() const { return best_accuracy_ >= 0; }
  [[nodiscard]] const Json& phase_seconds() const { return phase_seconds_; }
  // What the method's search left for result.json.
  [[nodiscard]] const Json& outcome() const { return outcome_; }

  // Of all phases; those skipped are the ones that overflowed half precision.
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
  void look(const StepResult& step, double lr, const EpochRecord& record);
  void validate(EpochRecord& record);
  void log_epoch(const EpochRecord& record);
  void keep_if_best(const EpochRecord& record);
  void start_sums();
  [[nodiscard]] bool asks_method() const;  // this phase or one that comes
  void check_cursor(nn::StateVisitor& visitor) const;
  void show_step(const EpochRecord& record, double loss);
  void show_epoch(const EpochRecord& record);
  [[nodiscard]] double samples_per_second(const EpochRecord& record) const;
  [[nodiscard]] double seconds_left() const;  // of the run, if it goes on as it went

  Recipe& recipe_;
  RunDir& run_;
  Display display_;
  TrainerCalls calls_;
  data::Loader train_;
  std::optional<data::Loader> validation_;  // none with data.val_fraction = 0
  Stepper stepper_;
  Cursor cursor_;
  at::Tensor loss_sum_, correct_;  // of this epoch so far, [] on the network's device
  double epoch_seconds_ = 0;       // of this epoch, before the run was stopped in it
  sparsity::Masks masks_;
  bool is_frozen_ = false;
  double best_accuracy_ = -1;
  Json phase_seconds_ = Json::object(), outcome_;
  ProgressLine progress_;
  Stopwatch clock_;              // of this process, from the first step on
  int64_t steps_before_ = 0;     // that other processes have done
  std::string last_validation_;  // "  val 44.00 %"
};

}  // namespace spikenm::train
