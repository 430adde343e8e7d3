// Learning rates as pure functions of the step: there is no state to save or restore.
#pragma once

#include "spikenm/core/config.h"

#include <vector>

namespace spikenm::train {

// The position in training, in optimiser steps: within the phase and over all phases.
struct Position {
  int64_t phase_step = 0, phase_steps = 1;
  int64_t step = 0, steps = 1;
  bool finetuning = false;
  bool ends_epoch = false;
};

struct Schedule {
  enum class Kind { kConstant, kCosine, kTwoCosines, kStep, kTwoSteps };
  Kind kind = Kind::kCosine;
  double lr = 1e-3;
  double finetune_lr = 1e-3;                  // constant, two-cosines, two-steps
  int64_t warmup_steps = 0;                   // linear, from the first step on
  std::vector<double> milestones{0.5, 0.75};  // shares of all steps; two-steps: of the phase's
  double gamma = 0.1;                         // factor at each milestone

  // Whether the search and finetune have rates of their own.
  [[nodiscard]] bool knows_phases() const;
  [[nodiscard]] bool has_milestones() const {
    return kind == Kind::kStep || kind == Kind::kTwoSteps;
  }
  [[nodiscard]] double lr_at(const Position& at) const;
  // lr_at divided by lr: multiplies a method's learning rate during search.
  [[nodiscard]] double factor_at(const Position& at) const { return lr_at(at) / lr; }
};

// Reads schedule, lr, finetune_lr, warmup_steps, milestones, gamma from [train].
Schedule read_schedule(const Config& config);

}  // namespace spikenm::train
