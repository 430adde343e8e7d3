// The keys of [method] that spikenm reads; docs/options.md explains them.
#pragma once

#include "spikenm/core/key.h"
#include "spikenm/nm/pattern.h"
#include "spikenm/sparsity/temperature_keys.h"

namespace spikenm::sparsity {
namespace spikenm_key {

inline const ChoiceKey kPreset{
    "preset", "default", {"paper", "default"}, "what the other keys are where nothing is said"};
inline const TextKey kAxis{
    "axis",
    {"in", "\"flat\" with preset = \"paper\""},
    "what a block runs along: in, input channels, or flat, the stored order"};
inline const ChoiceKey kDraws{"draws",
                              {"exactly", "\"at-most\" with preset = \"paper\""},
                              {"at-most", "exactly"},
                              "n draws that may meet, or n distinct positions"};
inline const IntKey kDrawsStart{"draws_start",
                                {nm::NmPattern::kMaxM, "0 with preset = \"paper\""},
                                0,
                                nm::NmPattern::kMaxM,
                                "positions drawn at the start, at most m; they fall to n",
                                "with draws = \"exactly\""};
inline const ChoiceKey kOrGrad{"or_grad",
                               "literal",
                               {"literal", "soft"},
                               "gradient of the union of draws",
                               "with draws = \"at-most\""};
inline const StepsKey kRedrawEvery{
    "redraw_every", {"3%", "1 with preset = \"paper\""}, "how often the mask is drawn"};
inline const ChoiceKey kRegrow{"regrow",
                               "keep",
                               {"keep", "zero"},
                               "a weight that comes back into the mask: as it was, or from 0"};
inline const RealRangeListKey kNoise{
    "noise",
    {{0.3, 0.005}, "[1.0] with preset = \"paper\""},
    {0, kMostNumber},
    "scale of the Gumbel noise: one number, or [from, to], both above 0"};
inline const RealKey kPriorKappa{
    "prior_kappa", {1, "0 with preset = \"paper\""}, 0, 1e6, "how much the logits know of |w|"};
inline const ChoiceKey kWeightGrad{
    "weight_grad", "masked", {"masked", "dense"}, "whether weights out of the mask learn"};
inline const ChoiceKey kCredit{
    "credit",
    "temporal",
    {"temporal", "net"},
    "a weight's credit: the sum of its steps' gradients in size, or the size of their sum",
    "with eid_target other than \"uniform\" and lambda_eid > 0"};
inline const ChoiceKey kCreditScale{"credit_scale",
                                    "block-mean",
                                    {"raw", "block-mean", "layer-mean", "block-z"},
                                    "what credits are measured by",
                                    "with eid_target other than \"uniform\" and lambda_eid > 0"};
inline const RealKey kTauQ{"tau_q",
                           1,
                           1e-6,
                           kMostNumber,
                           "temperature of the target",
                           "with eid_target other than \"uniform\" and lambda_eid > 0"};
inline const ChoiceKey kEidTarget{"eid_target",
                                  "credit",
                                  {"credit", "uniform", "credit-weight"},
                                  "what the mask's probabilities are distilled from: credits, "
                                  "nothing, or credits times |w|",
                                  "with lambda_eid > 0"};
inline const ChoiceKey kEidStudent{
    "eid_student",
    "prior",
    {"prior", "logits"},
    "the probabilities that are distilled into: of logits and prior, or of the logits alone",
    "with lambda_eid > 0 and prior_kappa > 0"};
inline const RealKey kLambdaEid{"lambda_eid",
                                {0.2, "5 with preset = \"paper\""},
                                0,
                                kMostNumber,
                                "weight of the distillation; 0: none"};
inline const ChoiceKey kEidReduce{
    "eid_reduce", "mean", {"mean", "sum"}, "how blocks are put together", "with lambda_eid > 0"};
inline const RealKey kTauMin{"tau_min",
                             {1, "0.1 with preset = \"paper\""},
                             1e-8,
                             kMostNumber,
                             "temperature at the end of the search, at most tau_max"};
inline const RealKey kLogitStd{"logit_std",
                               {0, "0.01 with preset = \"paper\""},
                               0,
                               kMostNumber,
                               "deviation of the logits at the start"};
inline const RealKey kLogitLr{"logit_lr",
                              {0.005, "0.001 with preset = \"paper\""},
                              0,
                              kMostNumber,
                              "learning rate of the logits"};
inline const RealKey kLogitEps{"logit_eps", 1e-8, 0, kMostNumber, "epsilon of the logits' Adam"};
inline const BoolKey kLogitSchedule{
    "logit_schedule", true, "whether the logits' rate falls as the schedule of the weights does"};
inline const ChoiceKey kFreeze{
    "freeze",
    {"top-n", "\"last\" with preset = \"paper\""},
    {"last", "top-n", "resample"},
    "the mask that prune keeps: the last drawn, the n largest logits, or a new draw"};
inline const IntKey kFreezeDraw{
    "freeze_draw", 0, 0, 1'000'000, "which of the new draws", "with freeze = \"resample\""};

inline KeyList all() {
  return {&kPreset,  &kAxis,     &kDraws,      &kDrawsStart,    &kOrGrad,
          &kRegrow,  &kNoise,    &kPriorKappa, &kWeightGrad,    &kRedrawEvery,
          &kCredit,  &kTauQ,     &kEidTarget,  &kEidStudent,    &kCreditScale,
          &kTauMax,  &kTauMin,   &kLambdaEid,  &kEidReduce,     &kLogitStd,
          &kLogitLr, &kLogitEps, &kFreeze,     &kLogitSchedule, &kFreezeDraw};
}

}  // namespace spikenm_key

}  // namespace spikenm::sparsity
