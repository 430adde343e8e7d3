#include "spikenm/report/statistic.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace spikenm::report {

std::optional<Statistic> summarize(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return Statistic{.mean = mean, .spread = std::nullopt, .n = 1};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return Statistic{.mean = mean, .spread = std::sqrt(squares / (n - 1)), .n = values.size()};
}

std::string to_text(const Statistic& statistic) {
  if (statistic.spread.value_or(0) < 0.005) return fmt::format("{:.2f}", statistic.mean);
  return fmt::format("{:.2f} ± {:.2f}", statistic.mean, *statistic.spread);
}

}  // namespace spikenm::report
