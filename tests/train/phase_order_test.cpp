#include "spikenm/train/phase_order.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace spikenm::train {
namespace {

using Phases = std::vector<std::string>;

void check(const Phases& phases, bool has_masks = true) {
  check_phase_order(phases, has_masks, "train.phases");
}

TEST(PhaseOrder, WhatCanWorkPasses) {
  for (const Phases& phases : {Phases{"search", "prune", "finetune"}, Phases{"search", "prune"},
                               Phases{"prune", "finetune"}, Phases{"prune"}}) {
    EXPECT_NO_THROW(check(phases));
    EXPECT_NO_THROW(check(phases, false));
  }
  for (const Phases& phases : {Phases{"search"}, Phases{"finetune"}, Phases{"search", "finetune"}})
    EXPECT_NO_THROW(check(phases, false));
}

TEST(PhaseOrder, AnotherOrderIsRefusedWithBothNames) {
  for (const bool has_masks : {true, false}) {
    EXPECT_ERROR(
        check({"prune", "search", "finetune"}, has_masks),
        "train.phases: found search after prune, wanted search, prune and finetune in this "
        "order, each at most once");
    EXPECT_ERROR(check({"search", "finetune", "prune"}, has_masks), "found prune after finetune");
    EXPECT_ERROR(check({"finetune", "search", "prune"}, has_masks), "found search after finetune");
    EXPECT_ERROR(check({"search", "prune", "finetune", "search"}, has_masks),
                 "found search after finetune");
    EXPECT_ERROR(check({"search", "prune", "search", "prune", "finetune"}, has_masks),
                 "found search after prune");
  }
}

TEST(PhaseOrder, APhaseTwiceOrNoneIsRefused) {
  EXPECT_ERROR(check({"search", "search", "prune"}), "train.phases: found search twice");
  EXPECT_ERROR(check({"search", "prune", "prune"}), "found prune twice");
  EXPECT_ERROR(check({"finetune", "finetune"}, false), "found finetune twice");
  EXPECT_ERROR(check({}, false), "train.phases: found an empty list");
}

TEST(PhaseOrder, MasksWantToBeFrozen) {
  for (const Phases& phases : {Phases{"search"}, Phases{"finetune"}, Phases{"search", "finetune"}})
    EXPECT_ERROR(check(phases), "train.phases: has no prune");
}

TEST(PhaseOrder, PhasesOfOthersStandAnywhere) {
  EXPECT_NO_THROW(check({"warm", "search", "warm", "prune", "finetune", "measure"}));
  EXPECT_ERROR(check({"prune", "warm", "search"}), "found search after prune");
}

}  // namespace
}  // namespace spikenm::train
