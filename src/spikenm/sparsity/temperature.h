// Annealed scalars, as pure functions of progress through the search (0 to 1).
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {

// from * (to/from)^progress, for positive numbers.
double geometric(double from, double to, double progress);

// The temperature of the relaxed draw.
double temperature(double tau_max, double tau_min, double progress);

// Reads tau_max and tau_min of [method]; their values before the call are the defaults.
void read_temperatures(const Config& config, const RealKey& min_key, double& tau_max,
                       double& tau_min);

// The number of distinct positions that are drawn: falls from `start` to n.
int annealed_draws(int start, int n, double progress);

}  // namespace spikenm::sparsity
