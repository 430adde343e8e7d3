#include "spikenm/report/student_t.h"

#include "spikenm/core/error.h"

#include <cmath>
#include <numbers>

namespace spikenm::report {

// For whole degrees of freedom the integral is a finite sum. With a = atan(x / sqrt(freedom)):
//   odd:   2/pi (a + sin a (cos a + 2/3 cos^3 a + (2 4)/(3 5) cos^5 a + …)), up to cos^(freedom-2)
//   even:  sin a (1 + 1/2 cos^2 a + (1 3)/(2 4) cos^4 a + …),                up to cos^(freedom-2)
double t_within(double x, size_t freedom) {
  SPIKENM_ASSERT(x >= 0 && freedom >= 1);
  const double angle = std::atan(x / std::sqrt(static_cast<double>(freedom)));
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;

  double sum = 0, term = odd ? cosine : 1;
  for (size_t power = odd ? 1 : 0; power + 2 <= freedom; power += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(power + 1) / static_cast<double>(power + 2);
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

double t_quantile_95(size_t freedom) {
  double low = 0, high = 16;  // 12.7 is the largest, of one degree
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (t_within(middle, freedom) < 0.95 ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::optional<double> half_width_95(const Statistic& statistic) {
  if (!statistic.spread) return std::nullopt;
  return t_quantile_95(statistic.n - 1) * *statistic.spread /
         std::sqrt(static_cast<double>(statistic.n));
}

}  // namespace spikenm::report
