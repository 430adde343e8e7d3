// Saves a trainer's state at intervals. The state is copied between two steps; another thread
// writes the copy while training continues.
#pragma once

#include "spikenm/core/background_task.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/train/checkpoint.h"
#include "spikenm/train/checkpoint_options.h"
#include "spikenm/train/tensor_file.h"

#include <functional>
#include <string>

namespace spikenm::train {

class Trainer;

// One wait, in seconds: until the file before was written, while the state was checked, and while it
// was copied and given to the thread that writes it.
struct CheckpointWait {
  int64_t step = 0;  // steps done before it
  double file = 0, check = 0, copy = 0;

  [[nodiscard]] double seconds() const { return file + check + copy; }
};

// How training has waited for its checkpoints and models.
struct CheckpointWaits {
  int64_t count = 0, checkpoints = 0;                 // the rest of them were for the best model
  double seconds = 0, longest = 0, longest_copy = 0;  // a check counts as part of its copy
  CheckpointWait worst;                               // the longest one
  double rehearsals = 0;                              // seconds, on a GPU; no part of the others
  // Seconds of a step while a file was written, and while none was. The first steps of a phase,
  // which make ready what the later ones use, are left out.
  double slowest_step_beside = 0, slowest_step_alone = 0;

  void add(const CheckpointWait& wait);
  // {"count": 3, "checkpoints": 2, "seconds": 0.12, "longest": 0.05, "longest_copy": 0.04,
  //  "worst": {"step": 900, "file": 0.01, "check": 0.01, "copy": 0.03},
  //  "rehearsals": 0.2, "slowest_step_beside": 0.02, "slowest_step_alone": 0.01}
  [[nodiscard]] Json json() const;
};

class Checkpointer {
 public:
  // `common` holds what is the same in all checkpoints of the run: config and graph.
  Checkpointer(Trainer& trainer, RunDir& run, const CheckpointOptions& options,
               CheckpointNote common);
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // The trainer calls these. They save if it is time for a checkpoint or SIGUSR1 asked for one. If
  // writing the last checkpoint failed, they throw its error.
  void between_steps();
  void after_epoch();

  // Copies the model and writes it to a file of this name, also in the background.
  void write_model(std::string_view name, const std::function<TensorFile()>& model);

  // Waits until nothing is being written. Throws the error if writing failed.
  void finish() { writing_.finish(); }

  // Saves, and waits until the file is written.
  void save_now();

  [[nodiscard]] const CheckpointWaits& waits() const { return waits_; }

 private:
  void save();
  void save_if_due();
  // Once the file before is written: does `check` and `copy`, and starts what `copy` returns, which
  // writes the copy. Counts the wait.
  template <class Check, class Copy>
  void copy_and_write(Check&& check, Copy&& copy);
  // Makes the first copy of a phase on a GPU, and throws it away.
  void rehearse();
  void begin_step();
  void end_step();

  Trainer& trainer_;
  RunDir& run_;
  CheckpointOptions options_;
  CheckpointNote common_;
  Stopwatch since_last_;
  int64_t epochs_since_last_ = 0;
  CheckpointWaits waits_;
  Stopwatch since_step_began_;
  bool is_beside_file_ = false;  // a file was being written when the step began
  int64_t phase_ = -1, steps_in_phase_ = 0;
  bool has_copied_ = false;  // in this phase
  BackgroundTask writing_;
};

}  // namespace spikenm::train
