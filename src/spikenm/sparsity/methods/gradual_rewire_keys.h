// The keys of [method] that gradual-rewire reads.
#pragma once

#include "spikenm/sparsity/methods/gradual_keys.h"
#include "spikenm/sparsity/methods/rewire_keys.h"

namespace spikenm::sparsity {
namespace gradual_rewire_key {

inline const RealKey kUntil{
    "until", 0.5, 0.01, 0.99,
    "share of the search after which blocks keep n, and from which they are rewired"};

inline KeyList all() {
  return join_keys({&kUntil, &gradual_key::kMaskEvery, &gradual_key::kWeightGrad},
                   rewire_key::all());
}

}  // namespace gradual_rewire_key

}  // namespace spikenm::sparsity
