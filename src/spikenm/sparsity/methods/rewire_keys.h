// The keys of [method] that rewire reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace rewire_key {

inline const StepsKey kEvery{"every", "3%", "how often blocks are rewired", "with fraction > 0"};
inline const RealKey kFraction{"fraction", 0.3, 0, 1,
                               "share of a layer's blocks that change at the start"};
inline const ChoiceKey kCredit{
    "credit",
    "net",
    {"temporal", "net"},
    "what grows a weight: the sum of its steps' gradients in size, or the size of their sum",
    "with fraction > 0"};
inline const RealKey kCreditDecay{
    "credit_decay",     0.9, 0, 0.9999, "how much of the running credit a step keeps",
    "with fraction > 0"};

inline KeyList all() {
  return {&kEvery, &kFraction, &kCredit, &kCreditDecay};
}

}  // namespace rewire_key

}  // namespace spikenm::sparsity
