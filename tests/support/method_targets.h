// How the methods of the registry are asked for a share of the weights.
#pragma once

#include "spikenm/sparsity/method_keys.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace spikenm::test {

// "method.target_weight=0.5", "method.sparsity=0.5" or, for a method that knows neither, nothing.
inline std::vector<std::string> asks_for_weights(const std::string& method, double share) {
  for (const KeyGroup& group : sparsity::method_keys()) {
    if (group.owner != method) continue;
    for (const Key* const key : group.keys) {
      if (key->name == "target_weight") return {fmt::format("method.target_weight={}", share)};
      if (key->name == "sparsity") return {fmt::format("method.sparsity={}", 1 - share)};
    }
  }
  return {};
}

}  // namespace spikenm::test
