// The keys of [method] that random reads.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
namespace random_key {

inline const ChoiceKey kDraws{
    "draws", "exactly", {"at-most", "exactly"}, "whether the same position may be drawn twice"};

inline KeyList all() {
  return {&kDraws};
}

}  // namespace random_key

}  // namespace spikenm::sparsity
