#include "spikenm/train/cursor.h"

#include "spikenm/train/phase.h"

#include <algorithm>

namespace spikenm::train {
namespace {

int64_t epochs_of(size_t phase, const TrainOptions& options) {
  return phases().find(options.phases[phase])().epochs(options);
}

// The phase of the next step: at the end of a phase it is in another one.
size_t next_phase(const Cursor& at, const TrainOptions& options) {
  auto phase = static_cast<size_t>(at.phase);
  for (int64_t epoch = at.epoch;
       phase < options.phases.size() && epoch >= epochs_of(phase, options); epoch = 0)
    ++phase;
  return phase;
}

}  // namespace

void Cursor::visit_state(nn::StateVisitor& visitor, const TrainOptions& options, int64_t batches) {
  visitor.value("phase", phase);
  visitor.value("epoch", epoch);
  visitor.value("batch", batch);
  visitor.value("epochs_done", epochs_done);
  if (!visitor.loads()) return;

  const auto check = [&](const char* name, int64_t found, int64_t most) {
    if (found < 0 || found > most)
      visitor.refuse(name, fmt::format("found {}, wanted 0 to {}", found, most));
  };
  const auto n_phases = static_cast<int64_t>(options.phases.size());
  check("phase", phase, n_phases);
  check("epochs_done", epochs_done, options.epochs);
  check("batch", batch, batches);
  const bool all_done = phase == n_phases;
  check("epoch", epoch, all_done ? 0 : epochs_of(static_cast<size_t>(phase), options));
}

Cursor cursor_after(int64_t steps, const TrainOptions& options, int64_t batches) {
  Cursor at{.batch = steps % batches, .epochs_done = steps / batches};
  at.epoch = at.epochs_done;
  while (at.phase < static_cast<int64_t>(options.phases.size())) {
    const int64_t n = epochs_of(static_cast<size_t>(at.phase), options);
    if (at.epoch < n) break;
    at.epoch -= n;
    ++at.phase;
  }
  return at;
}

bool has_steps_left(const Cursor& at, const TrainOptions& options) {
  return next_phase(at, options) < options.phases.size();
}

std::string place_of(const Cursor& at, const TrainOptions& options, int64_t batches) {
  const size_t phase = next_phase(at, options);
  if (phase >= options.phases.size()) return "after training";
  return fmt::format("in {} epoch {} of {}, batch {} of {}", options.phases[phase],
                     at.epochs_done + 1, options.epochs, std::min(at.batch + 1, batches), batches);
}

}  // namespace spikenm::train
