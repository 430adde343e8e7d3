// Saves a trainer's state now and then: copied between two steps, written off the training thread.
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

class Checkpointer {
 public:
  // `common` is what all checkpoints of the run say: its config and graph.
  Checkpointer(Trainer& trainer, RunDir& run, const CheckpointOptions& options,
               CheckpointNote common);
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // For the trainer: saves where a checkpoint is due, or was asked for by SIGUSR1. What went wrong
  // with the one before is thrown here.
  void between_steps();
  void after_epoch();

  // A model file that is written in the background too.
  void write_model(std::string_view name, const TensorFile& model);

  // Waits for what is being written.
  void finish() { writing_.finish(); }

  // Saves, and waits until the file is on the disk.
  void save_now();

 private:
  void save();

  Trainer& trainer_;
  RunDir& run_;
  CheckpointOptions options_;
  CheckpointNote common_;
  Stopwatch since_last_;
  int64_t epochs_since_last_ = 0;
  BackgroundTask writing_;
};

}  // namespace spikenm::train
