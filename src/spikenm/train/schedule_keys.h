// The keys of [train] that set the learning rate.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/train/schedule.h"

namespace spikenm::train {
inline const ChoiceKey kSchedule{"schedule",
                                 "cosine",
                                 {"constant", "cosine", "two-cosines", "step", "two-steps"},
                                 "how the learning rate falls"};
inline const RealKey kLr{"lr", Schedule{}.lr, 1e-12, kMostNumber, "learning rate at the start"};
inline const RealKey kFinetuneLr{
    "finetune_lr",
    Varies{"lr"},
    0,
    kMostNumber,
    "learning rate at the start of finetune",
    "with schedule = \"constant\", \"two-cosines\" or \"two-steps\" and a finetune in phases"};
inline const IntKey kWarmupSteps{"warmup_steps", 0, 0, kMostWhole,
                                 "steps over which the learning rate rises from zero"};
inline const RealListKey kMilestones{
    "milestones", Schedule{}.milestones,
    "shares of all steps, or of each phase's with two-steps, at which the learning rate falls",
    "with schedule = \"step\" or \"two-steps\""};
inline const RealKey kGamma{
    "gamma",     Schedule{}.gamma,           0,
    kMostNumber, "factor at each milestone", "with schedule = \"step\" or \"two-steps\""};

inline KeyList schedule_keys() {
  return {&kSchedule, &kLr, &kFinetuneLr, &kWarmupSteps, &kMilestones, &kGamma};
}

}  // namespace spikenm::train
