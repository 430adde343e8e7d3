#include "spikenm/sparsity/temperature.h"

#include "spikenm/sparsity/temperature_keys.h"

#include <algorithm>
#include <cmath>

namespace spikenm::sparsity {

double geometric(double from, double to, double progress) {
  return from * std::pow(to / from, progress);
}

// Eq. (18): tau_t = max(tau_min, tau_max (tau_min/tau_max)^(t/T_search)), t in iterations.
double temperature(double tau_max, double tau_min, double progress) {
  return std::max(tau_min, geometric(tau_max, tau_min, progress));
}

void read_temperatures(const Config& config, const RealKey& min_key, double& tau_max,
                       double& tau_min) {
  tau_max = kTauMax.read(config, tau_max);
  tau_min = min_key.read(config, tau_min);
  SPIKENM_CHECK(tau_min <= tau_max, "{}: found {:g}, wanted at most tau_max, {:g}",
                config.full_key("tau_min"), tau_min, tau_max);
}

// k = round(N + (k0 - N)(1 - p)^3).
int annealed_draws(int start, int n, double progress) {
  return static_cast<int>(std::lround(n + (start - n) * std::pow(1 - progress, 3)));
}

}  // namespace spikenm::sparsity
