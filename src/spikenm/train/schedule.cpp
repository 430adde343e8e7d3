#include "spikenm/train/schedule.h"

#include "spikenm/train/schedule_keys.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spikenm::train {
namespace {

double half_cosine(int64_t step, int64_t steps) {
  return 0.5 *
         (1 + std::cos(std::numbers::pi * static_cast<double>(step) / static_cast<double>(steps)));
}

// What is left of a rate at `step` of `steps`.
double fallen(const Schedule& schedule, int64_t step, int64_t steps) {
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  const auto passed = std::count_if(schedule.milestones.begin(), schedule.milestones.end(),
                                    [&](double milestone) { return done >= milestone; });
  return std::pow(schedule.gamma, static_cast<double>(passed));
}

void check_milestones(const std::vector<double>& milestones, const std::string& key) {
  for (size_t i = 0; i < milestones.size(); ++i) {
    SPIKENM_CHECK(0 < milestones[i] && milestones[i] < 1,
                  "{}: found {:g}, wanted shares of training, more than 0 and less than 1", key,
                  milestones[i]);
    SPIKENM_CHECK(i == 0 || milestones[i - 1] < milestones[i],
                  "{}: found {:g} after {:g}, wanted growing shares of training", key,
                  milestones[i], milestones[i - 1]);
  }
}

}  // namespace

bool Schedule::knows_phases() const {
  return kind == Kind::kConstant || kind == Kind::kTwoCosines || kind == Kind::kTwoSteps;
}

double Schedule::lr_at(const Position& at) const {
  const double base = at.finetuning ? finetune_lr : lr;
  const double warm = warmup_steps > at.step
                          ? static_cast<double>(at.step + 1) / static_cast<double>(warmup_steps)
                          : 1;

  switch (kind) {
    case Kind::kConstant:
      return warm * base;
    case Kind::kCosine:
      return warm * lr * half_cosine(at.step, at.steps);
    case Kind::kTwoCosines:
      return warm * base * half_cosine(at.phase_step, at.phase_steps);
    case Kind::kStep:
      return warm * lr * fallen(*this, at.step, at.steps);
    case Kind::kTwoSteps:
      return warm * base * fallen(*this, at.phase_step, at.phase_steps);
  }
  return base;
}

Schedule read_schedule(const Config& config) {
  Schedule s;
  s.kind = static_cast<Schedule::Kind>(kSchedule.read(config));
  s.lr = kLr.read(config);
  if (s.knows_phases()) {
    s.finetune_lr = kFinetuneLr.read(config, s.lr);
  } else {
    config.no_effect("finetune_lr", {"schedule"});
  }

  s.warmup_steps = kWarmupSteps.read(config);
  if (s.has_milestones()) {
    s.milestones = kMilestones.read(config);
    check_milestones(s.milestones, config.full_key("milestones"));
    s.gamma = kGamma.read(config);
  } else {
    for (const char* key : {"milestones", "gamma"}) config.no_effect(key, {"schedule"});
  }
  return s;
}

}  // namespace spikenm::train
