#include "spikenm/train/checkpointer.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/train/checkpoint_keys.h"
#include "spikenm/train/memory_error.h"
#include "spikenm/train/trainer.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace spikenm::train {
namespace {

// What `work` returns; memory that runs out is said to be that of checkpoints.
template <class Work>
auto naming_memory(Work&& work) {
  try {
    return work();
  } catch (const std::exception& e) {
    if (!is_out_of_memory(e)) throw;
    fail(
        "checkpoints: there is not enough memory for a copy of the run's state; wanted less at "
        "once (a smaller train.batch_size), or none (checkpoints.every_minutes = 0)");
  }
}

}  // namespace

CheckpointOptions read_checkpoint_options(const Config& config) {
  return {.every_minutes = checkpoint_key::kEveryMinutes.read(config),
          .every_epochs = checkpoint_key::kEveryEpochs.read(config),
          .keep = checkpoint_key::kKeep.read(config)};
}

void CheckpointWaits::add(double for_file, double for_copy) {
  ++count;
  seconds += for_file + for_copy;
  longest = std::max(longest, for_file + for_copy);
  longest_copy = std::max(longest_copy, for_copy);
}

Json CheckpointWaits::json() const {
  return {
      {"count", count}, {"seconds", seconds}, {"longest", longest}, {"longest_copy", longest_copy}};
}

Checkpointer::Checkpointer(Trainer& trainer, RunDir& run, const CheckpointOptions& options,
                           CheckpointNote common)
    : trainer_(trainer), run_(run), options_(options), common_(std::move(common)) {}

void Checkpointer::between_steps() {
  writing_.look();
  const double minutes = since_last_.seconds() / 60;
  const bool is_due = options_.every_minutes > 0 && minutes >= options_.every_minutes;
  // A checkpoint that is due while the last one is still being written comes a little later.
  if (!writing_.is_busy() && (is_due || take_checkpoint_request())) save();
}

void Checkpointer::after_epoch() {
  ++epochs_since_last_;
  // Whoever asks for epochs wants their ends: if a file is still being written, training waits.
  if (options_.every_epochs > 0 && epochs_since_last_ >= options_.every_epochs) save();
  between_steps();
}

void Checkpointer::save_now() {
  save();
  writing_.finish();
}

template <class Copy>
auto Checkpointer::copied_for_file(Copy&& copy) {
  trainer_.finish_steps();  // that is training, and no wait for a file
  const Stopwatch clock;
  writing_.finish();  // so that memory holds only one copy
  const double before = clock.seconds();
  auto made = naming_memory(copy);
  waits_.add(before, clock.seconds() - before);
  return made;
}

template <class Write>
void Checkpointer::start_writing(Write write) {
  writing_.start([write = std::move(write)]() mutable { naming_memory(write); });
}

void Checkpointer::write_model(std::string_view name, const TensorFile& model) {
  TensorFile copy = copied_for_file([&] { return copy_of(model); });
  start_writing([path = run_.file(name), copy = std::move(copy)]() mutable {
    move_to_cpu(copy.tensors);
    write_tensor_file(path, copy);
  });
}

void Checkpointer::save() {
  CheckpointNote note = common_;
  note.step = trainer_.steps();
  note.where = trainer_.where();
  StateCopy copy = copied_for_file([&] {
    trainer_.check_state();  // a state that went wrong must not replace a good one
    return copy_state([&](nn::StateVisitor& visitor) { trainer_.visit_state(visitor); });
  });
  run_.promote();
  const std::filesystem::path metrics = run_.file(RunDir::kMetrics);
  const bool has_metrics = trainer_.cursor().epochs_done > 0;
  start_writing([=, folder = run_.file(RunDir::kCheckpoints), copy = std::move(copy),
                 note = std::move(note), keep = options_.keep]() mutable {
    move_to_cpu(copy.tensors);
    // To go on from a checkpoint, the run needs the metrics lines of all epochs before it. So these
    // must be on the disk first.
    if (has_metrics) sync_file(metrics);
    write_checkpoint(folder, copy, note, keep);
  });
  since_last_ = {};
  epochs_since_last_ = 0;
}

}  // namespace spikenm::train
