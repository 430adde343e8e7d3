// Every surrogate that has a name.
#pragma once

#include "spikenm/graph/neuron_kinds.h"

#include <vector>

namespace spikenm::test {

inline std::vector<graph::Surrogate> all_surrogates() {
  std::vector<graph::Surrogate> all;
  for (size_t i = 0; i < graph::surrogate_names().size(); ++i)
    all.push_back(static_cast<graph::Surrogate>(i));
  return all;
}

}  // namespace spikenm::test
