// Fisher-Yates with addressed random numbers; an interrupt stops the shuffle of a large set.
#pragma once

#include "spikenm/core/interrupt.h"
#include "spikenm/core/random.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace spikenm::data {

template <class T>
void shuffle(std::vector<T>& items, const RandomAddress& random) {
  constexpr size_t kBetweenLooks = size_t{1} << 20;
  for (size_t i = items.size(); i > 1; --i) {
    if (i % kBetweenLooks == 0) throw_if_interrupted("while samples were shuffled");
    std::swap(items[i - 1], items[random.below(i, static_cast<uint32_t>(i))]);
  }
}

}  // namespace spikenm::data
