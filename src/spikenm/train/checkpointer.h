// Saves a trainer's state at intervals. The state is copied between two steps; another thread
// writes the copy while training continues.
#pragma once

#include "spikenm/core/background_task.h"
#include "spikenm/core/run_dir.h"
#include "spikenm/core/stopwatch.h"
#include "spikenm/train/checkpoint.h"
#include "spikenm/train/checkpoint_options.h"
#include "spikenm/train/tensor_file.h"

#include <string>

namespace spikenm::train {

class Trainer;

// How training has waited for its checkpoints and models: until the file before was written, and
// while the state was checked and copied.
struct CheckpointWaits {
  int64_t count = 0;
  double seconds = 0, longest = 0, longest_copy = 0;

  void add(double for_file, double for_copy);
  // {"count": 3, "seconds": 0.12, "longest": 0.05, "longest_copy": 0.04}
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
  void write_model(std::string_view name, const TensorFile& model);

  // Waits until nothing is being written. Throws the error if writing failed.
  void finish() { writing_.finish(); }

  // Saves, and waits until the file is written.
  void save_now();

  [[nodiscard]] const CheckpointWaits& waits() const { return waits_; }

 private:
  void save();
  // What `copy` returns, made when the file before is written; counts both waits.
  template <class Copy>
  auto copied_for_file(Copy&& copy);
  template <class Write>
  void start_writing(Write write);

  Trainer& trainer_;
  RunDir& run_;
  CheckpointOptions options_;
  CheckpointNote common_;
  Stopwatch since_last_;
  int64_t epochs_since_last_ = 0;
  CheckpointWaits waits_;
  BackgroundTask writing_;
};

}  // namespace spikenm::train
