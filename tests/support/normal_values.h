// Test data that is the same everywhere.
#pragma once

#include "spikenm/core/random.h"

#include <cstddef>
#include <vector>

namespace spikenm::test {

// n normal values; each stream is another set. They are floats in every type, so that a float and a
// double run see the same numbers.
template <class T>
std::vector<T> normal_values(size_t n, double scale, uint32_t stream) {
  const RandomAddress random(11, stream);
  std::vector<T> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(scale * random.normal(i));
  return values;
}

}  // namespace spikenm::test
