#include "spikenm/train/checkpointer.h"

#include "spikenm/core/file.h"
#include "spikenm/core/interrupt.h"
#include "spikenm/core/tensorboard_file.h"
#include "spikenm/train/carry_to_cpu.h"
#include "spikenm/train/checkpoint_keys.h"
#include "spikenm/train/memory_error.h"
#include "spikenm/train/trainer.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace spikenm::train {
namespace {

// Of a phase: they are recorded, and get what they need themselves.
constexpr int64_t kFirstSteps = 5;

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

void CheckpointWaits::add(const CheckpointWait& wait) {
  ++count;
  seconds += wait.seconds();
  longest_copy = std::max(longest_copy, wait.check + wait.copy);
  if (wait.seconds() < longest) return;
  longest = wait.seconds();
  worst = wait;
}

Json CheckpointWaits::json() const {
  return {
      {"count", count},
      {"checkpoints", checkpoints},
      {"seconds", seconds},
      {"longest", longest},
      {"longest_copy", longest_copy},
      {"worst",
       {{"step", worst.step}, {"file", worst.file}, {"check", worst.check}, {"copy", worst.copy}}},
      {"rehearsals", rehearsals},
      {"slowest_step_beside", slowest_step_beside},
      {"slowest_step_alone", slowest_step_alone}};
}

Checkpointer::Checkpointer(Trainer& trainer, RunDir& run, const CheckpointOptions& options,
                           CheckpointNote common)
    : trainer_(trainer), run_(run), options_(options), common_(std::move(common)) {}

void Checkpointer::between_steps() {
  end_step();
  save_if_due();
  if (!has_copied_ && steps_in_phase_ >= kFirstSteps && !writing_.is_busy()) rehearse();
  begin_step();
}

void Checkpointer::after_epoch() {
  ++epochs_since_last_;
  // Whoever asks for epochs wants their ends: if a file is still being written, training waits.
  if (options_.every_epochs > 0 && epochs_since_last_ >= options_.every_epochs) save();
  save_if_due();
  begin_step();
}

void Checkpointer::save_if_due() {
  writing_.look();
  const double minutes = since_last_.seconds() / 60;
  const bool is_due = options_.every_minutes > 0 && minutes >= options_.every_minutes;
  // A checkpoint that is due while the last one is still being written comes a little later.
  if (!writing_.is_busy() && (is_due || take_checkpoint_request())) save();
}

void Checkpointer::save_now() {
  save();
  writing_.finish();
}

void Checkpointer::begin_step() {
  since_step_began_ = {};
  is_beside_file_ = writing_.is_busy();
}

void Checkpointer::end_step() {
  const double seconds = since_step_began_.seconds();
  if (trainer_.cursor().phase != phase_) {
    phase_ = trainer_.cursor().phase;
    steps_in_phase_ = 0;
    has_copied_ = false;
  }
  if (++steps_in_phase_ <= kFirstSteps) return;
  double& slowest = is_beside_file_ ? waits_.slowest_step_beside : waits_.slowest_step_alone;
  slowest = std::max(slowest, seconds);
}

// The first copy may wait for memory and kernels that the later ones find ready. Nobody waits for a
// checkpoint so early in a phase.
void Checkpointer::rehearse() {
  has_copied_ = true;
  const bool wants_checkpoints = options_.every_minutes > 0 || options_.every_epochs > 0;
  if (!trainer_.device().is_cuda() || !wants_checkpoints) return;
  trainer_.finish_steps();
  const Stopwatch clock;
  naming_memory([&] {
    prepare_to_carry(trainer_.device());
    copy_state([&](nn::StateVisitor& visitor) { trainer_.visit_state(visitor); });
  });
  waits_.rehearsals += clock.seconds();
}

template <class Check, class Copy>
void Checkpointer::copy_and_write(Check&& check, Copy&& copy) {
  trainer_.finish_steps();  // that is training, and no wait for a file
  const Stopwatch clock;
  writing_.finish();  // so that memory holds only one copy
  const double written = clock.seconds();
  naming_memory(check);
  const double checked = clock.seconds();
  writing_.start([write = naming_memory(copy)]() mutable { naming_memory(write); });
  has_copied_ = true;
  waits_.add({.step = trainer_.steps(),
              .file = written,
              .check = checked - written,
              .copy = clock.seconds() - checked});
}

void Checkpointer::write_model(std::string_view name, const std::function<TensorFile()>& model) {
  copy_and_write([] {},
                 [&] {
                   return [path = run_.file(name), copy = copy_of(model())]() mutable {
                     move_to_cpu(copy.tensors);
                     write_tensor_file(path, copy);
                   };
                 });
}

void Checkpointer::save() {
  const auto copy = [&] {
    CheckpointNote note = common_;
    note.step = trainer_.steps();
    note.where = trainer_.where();
    StateCopy state = copy_state([&](nn::StateVisitor& visitor) { trainer_.visit_state(visitor); });
    run_.promote();
    return [=, metrics = run_.file(RunDir::kMetrics), curves = run_.file(RunDir::kTensorBoard),
            folder = run_.file(RunDir::kCheckpoints), keep = options_.keep,
            has_metrics = trainer_.cursor().epochs_done > 0, state = std::move(state)]() mutable {
      move_to_cpu(state.tensors);
      // To go on from a checkpoint, the run needs the metrics lines of all epochs before it, and
      // does not write its curves again. So these must be on the disk first.
      if (has_metrics) sync_file(metrics);
      for (const std::filesystem::path& file : event_files(curves)) sync_file(file);
      write_checkpoint(folder, state, note, keep);
    };
  };
  // A state that went wrong must not replace a good one.
  copy_and_write([&] { trainer_.check_state(); }, copy);
  ++waits_.checkpoints;
  since_last_ = {};
  epochs_since_last_ = 0;
}

}  // namespace spikenm::train
