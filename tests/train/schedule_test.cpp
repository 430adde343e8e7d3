#include "spikenm/train/schedule.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace spikenm::train {
namespace {

using Kind = Schedule::Kind;

// 100 steps in all: 30 of search, 70 of finetuning.
Position at_step(int64_t step) {
  const bool finetuning = step >= 30;
  return {.phase_step = finetuning ? step - 30 : step,
          .phase_steps = finetuning ? 70 : 30,
          .step = step,
          .steps = 100,
          .finetuning = finetuning};
}

TEST(Schedule, ConstantChangesOnlyAtFinetune) {
  const Schedule s{.kind = Kind::kConstant, .lr = 0.5, .finetune_lr = 0.1};
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(0)), 0.5);
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(29)), 0.5);
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(30)), 0.1);
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(99)), 0.1);
}

TEST(Schedule, CosineRunsOnceOverAllPhases) {
  const Schedule s{.kind = Kind::kCosine, .lr = 0.4, .finetune_lr = 7};
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(0)), 0.4);
  EXPECT_NEAR(s.lr_at(at_step(50)), 0.2, 1e-12);
  EXPECT_NEAR(s.lr_at(at_step(100)), 0, 1e-12);
  EXPECT_NEAR(s.lr_at(at_step(25)), 0.4 * (1 + std::sqrt(0.5)) / 2, 1e-12);
}

TEST(Schedule, TwoCosinesStartAgainAtFinetune) {
  const Schedule s{.kind = Kind::kTwoCosines, .lr = 0.4, .finetune_lr = 0.2};
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(0)), 0.4);
  EXPECT_NEAR(s.lr_at(at_step(15)), 0.2, 1e-12);
  EXPECT_LT(s.lr_at(at_step(29)), 0.01);
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(30)), 0.2);
  EXPECT_NEAR(s.lr_at(at_step(65)), 0.1, 1e-12);
  EXPECT_LT(s.lr_at(at_step(99)), 0.001);
}

TEST(Schedule, StepFallsByGammaAtEveryMilestone) {
  const Schedule s{.kind = Kind::kStep, .lr = 1, .milestones = {0.5, 0.75}, .gamma = 0.1};
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(49)), 1);
  EXPECT_DOUBLE_EQ(s.lr_at(at_step(50)), 0.1);
  EXPECT_NEAR(s.lr_at(at_step(75)), 0.01, 1e-15);
  EXPECT_NEAR(s.lr_at(at_step(99)), 0.01, 1e-15);
}

// Half of 30 steps of search and half of 70 of finetuning.
TEST(Schedule, TwoStepsFallInEachPhase) {
  const Schedule s{
      .kind = Kind::kTwoSteps, .lr = 1, .finetune_lr = 0.4, .milestones = {0.5, 0.8}, .gamma = 0.1};
  for (const auto& [step, rate] :
       {std::pair{0, 1.0}, std::pair{14, 1.0}, std::pair{15, 0.1}, std::pair{23, 0.1},
        std::pair{24, 0.01}, std::pair{29, 0.01}, std::pair{30, 0.4}, std::pair{64, 0.4},
        std::pair{65, 0.04}, std::pair{86, 0.004}, std::pair{99, 0.004}})
    EXPECT_NEAR(s.lr_at(at_step(step)), rate, 1e-12) << step;
}

TEST(Schedule, WarmUpIsLinearFromTheFirstStep) {
  for (const Kind kind :
       {Kind::kConstant, Kind::kCosine, Kind::kTwoCosines, Kind::kStep, Kind::kTwoSteps}) {
    Schedule s{.kind = kind, .lr = 1, .finetune_lr = 1};
    const double first = s.lr_at(at_step(0)), third = s.lr_at(at_step(2)),
                 tenth = s.lr_at(at_step(9));
    s.warmup_steps = 10;
    EXPECT_NEAR(s.lr_at(at_step(0)), 0.1 * first, 1e-12);
    EXPECT_NEAR(s.lr_at(at_step(2)), 0.3 * third, 1e-12);
    EXPECT_NEAR(s.lr_at(at_step(9)), tenth, 1e-12);
    EXPECT_GT(s.lr_at(at_step(10)), 0.7);
  }
}

TEST(Schedule, TheFactorIsTheRateOverItsBase) {
  const Schedule s{.kind = Kind::kCosine, .lr = 0.4};
  EXPECT_NEAR(s.factor_at(at_step(50)), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(s.factor_at(at_step(0)), 1);
}

Schedule read(const std::string& toml) {
  const Config config = Config::from_text("[train]\n" + toml, "test");
  const Schedule s = read_schedule(config.section("train"));
  config.reject_unread();
  return s;
}

TEST(ReadSchedule, FinetunesAtTheSameRateUnlessTold) {
  EXPECT_EQ(read("schedule = \"constant\"\nlr = 0.3").finetune_lr, 0.3);
  EXPECT_EQ(read("schedule = \"two-cosines\"\nlr = 0.3\nfinetune_lr = 0.1").finetune_lr, 0.1);
}

TEST(ReadSchedule, TakesItsKeysAndRefusesThoseOfOthers) {
  const Schedule s = read("schedule = \"step\"\nmilestones = [0.2]\ngamma = 0.5\nwarmup_steps = 3");
  EXPECT_EQ(s.kind, Kind::kStep);
  EXPECT_EQ(s.milestones, std::vector<double>{0.2});
  EXPECT_EQ(s.gamma, 0.5);
  EXPECT_EQ(s.warmup_steps, 3);
  EXPECT_EQ(read("").kind, Kind::kCosine);
  EXPECT_ERROR(read("finetune_lr = 0.1"), "train.finetune_lr");  // one cosine knows no second rate
  EXPECT_ERROR(read("schedule = \"linear\""), "train.schedule", "linear", "two-cosines");
  EXPECT_ERROR(read("lr = 0"), "train.lr", "0");
  EXPECT_ERROR(read("warmup_steps = -1"), "train.warmup_steps", "-1");
}

TEST(ReadSchedule, TwoStepsHaveMilestonesAndARateOfFinetune) {
  const Schedule s = read("schedule = \"two-steps\"\nlr = 0.3\nfinetune_lr = 0.1\ngamma = 0.5");
  EXPECT_EQ(s.kind, Kind::kTwoSteps);
  EXPECT_EQ(s.finetune_lr, 0.1);
  EXPECT_EQ(s.gamma, 0.5);
  EXPECT_EQ(read("schedule = \"two-steps\"\nlr = 0.3").finetune_lr, 0.3);
  EXPECT_ERROR(read("schedule = \"two-steps\"\nmilestones = [0.5, 0.5]"), "train.milestones");
}

TEST(ReadSchedule, MilestonesAreSharesThatGrow) {
  const auto with = [](const std::string& list) {
    return read("schedule = \"step\"\nmilestones = " + list).milestones;
  };
  EXPECT_EQ(with("[0.3, 0.6, 0.9]").size(), 3u);
  EXPECT_EQ(with("[]").size(), 0u);
  for (const char* list : {"[1]", "[-3]", "[0]", "[0.5, 1.0]", "[30, 60]"})
    EXPECT_ERROR(with(list), "train.milestones", "more than 0 and less than 1");
  for (const char* list : {"[0.5, 0.5]", "[0.75, 0.5]"})
    EXPECT_ERROR(with(list), "train.milestones", "growing");
}

}  // namespace
}  // namespace spikenm::train
