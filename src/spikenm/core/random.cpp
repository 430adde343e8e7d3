#include "spikenm/core/random.h"

#include <cmath>
#include <numbers>

namespace spikenm {

double RandomAddress::normal(uint64_t index) const {
  const double radius = std::sqrt(-2.0 * std::log(uniform(2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(2 * index + 1));
}

}  // namespace spikenm
