// Runs that are stopped after some steps, saved, forgotten and gone on with.
#pragma once

#include "spikenm/train/checkpoint.h"
#include "support/tiny_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spikenm::test {

using Overrides = std::vector<std::string>;

inline train::ShowState state_of(train::Trainer& trainer) {
  return [&](nn::StateVisitor& visitor) { trainer.visit_state(visitor); };
}

// Trains for so many steps, leaves a checkpoint in the folder, and returns the lines of metrics.
inline std::vector<Json> stop_after(const Overrides& overrides, int64_t steps,
                                    const std::filesystem::path& checkpoints) {
  struct Stopped {};
  TinyRun* current = nullptr;
  TinyRun run(overrides, {.between_steps = [&] {
                if (current->trainer.steps() == steps) throw Stopped();
              }});
  current = &run;
  EXPECT_THROW(run.trainer.train(), Stopped);
  train::write_checkpoint(checkpoints, train::copy_state(state_of(run.trainer)), {.step = steps},
                          2);
  return run.trainer.cursor().epochs_done > 0 ? run.metrics() : std::vector<Json>();
}

// The name of a method as the name of a test.
inline std::string test_name(std::string method) {
  std::replace(method.begin(), method.end(), '-', '_');
  return method;
}

}  // namespace spikenm::test
