// Fisher-Yates with addressed random numbers.
#pragma once

#include "spikenm/core/random.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace spikenm::data {

template <class T>
void shuffle(std::vector<T>& items, const RandomAddress& random) {
  for (size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(i, static_cast<uint32_t>(i))]);
}

}  // namespace spikenm::data
