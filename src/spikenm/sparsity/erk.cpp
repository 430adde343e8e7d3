#include "spikenm/sparsity/erk.h"

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {

double erk_density(const nm::WeightShape& s) {
  return static_cast<double>(s.cout + s.cin + s.kh + s.kw) / static_cast<double>(s.numel());
}

std::vector<int64_t> erk_counts(const std::vector<nm::WeightShape>& shapes, double density) {
  int64_t all = 0;
  double low = 0, high = 0;
  for (const nm::WeightShape& s : shapes) {
    all += s.numel();
    high = std::max(high, 1 / erk_density(s));
  }
  const auto wanted = std::max<int64_t>(std::llround(density * static_cast<double>(all)),
                                        static_cast<int64_t>(shapes.size()));

  std::vector<int64_t> counts(shapes.size());
  const auto count_at = [&](double scale) {
    int64_t sum = 0;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const auto numel = static_cast<double>(shapes[i].numel());
      counts[i] = static_cast<int64_t>(
          std::clamp(std::floor(scale * erk_density(shapes[i]) * numel), 1.0, numel));
      sum += counts[i];
    }
    return sum;
  };
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (count_at(middle) <= wanted ? low : high) = middle;
  }

  // What rounding down has left, fewer than one weight a layer, goes to the first that have room.
  int64_t left = wanted - count_at(low);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const int64_t more = std::min(left, shapes[i].numel() - counts[i]);
    counts[i] += more;
    left -= more;
  }
  return counts;
}

}  // namespace spikenm::sparsity
