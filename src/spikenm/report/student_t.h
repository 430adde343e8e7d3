// Student's t distribution, for intervals around the mean of a few values.
#pragma once

#include "spikenm/report/statistic.h"

#include <optional>

namespace spikenm::report {

// P(|t| <= x) for x >= 0 and `freedom` >= 1 degrees of freedom.
double t_within(double x, size_t freedom);

// The x with P(|t| <= x) = 0.95.
double t_quantile_95(size_t freedom);

// Half the width of the 95 % interval of the mean; empty for fewer than two values.
std::optional<double> half_width_95(const Statistic& statistic);

}  // namespace spikenm::report
