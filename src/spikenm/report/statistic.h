// Mean and spread of a number measured over several runs.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace spikenm::report {

struct Statistic {
  double mean = 0;
  std::optional<double> spread;  // sample standard deviation; empty for one value
  size_t n = 0;
};

// Empty when there are no values.
std::optional<Statistic> summarize(std::span<const double> values);

// "83.90 ± 0.12", or "83.90" for one value or for values that agree to two decimals.
std::string to_text(const Statistic& statistic);

}  // namespace spikenm::report
