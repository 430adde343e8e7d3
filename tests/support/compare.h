// Whole arrays compared in one expectation, and slopes by finite differences. The message tells how
// many values differ and shows the first; a NaN never compares close, equal infinities do.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace spikenm::test {

struct Tolerance {
  double absolute = 0, relative = 0;
};

inline bool is_close(double found, double wanted, Tolerance tolerance) {
  return found == wanted ||
         std::abs(found - wanted) <= tolerance.absolute + tolerance.relative * std::abs(wanted);
}

template <class T, class Matches>
testing::AssertionResult compare_all(const std::vector<T>& found, const std::vector<T>& wanted,
                                     Matches&& matches) {
  if (found.size() != wanted.size())
    return testing::AssertionFailure()
           << found.size() << " values found, " << wanted.size() << " wanted";
  size_t n_different = 0, first = 0;
  for (size_t i = found.size(); i-- > 0;) {
    if (matches(found[i], wanted[i])) continue;
    ++n_different;
    first = i;
  }
  if (n_different == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << n_different << " of " << found.size() << " values differ; ["
                                     << first << "] is " << testing::PrintToString(found[first])
                                     << ", wanted " << testing::PrintToString(wanted[first]);
}

template <class T>
testing::AssertionResult all_close(const std::vector<T>& found, const std::vector<T>& wanted,
                                   Tolerance tolerance) {
  return compare_all(found, wanted, [&](T a, T b) { return is_close(a, b, tolerance); });
}

// Bit for bit: 0 and -0 differ, a NaN equals itself.
template <class T>
testing::AssertionResult all_identical(const std::vector<T>& found, const std::vector<T>& wanted) {
  return compare_all(found, wanted, [](T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; });
}

template <class T>
testing::AssertionResult none_nan(const std::vector<T>& found) {
  return compare_all(found, found, [](T a, T) { return !std::isnan(a); });
}

// df / dvalue by central differences; f() reads `value`.
template <class F>
double slope(double& value, F&& f) {
  constexpr double kStep = 1e-6;
  const double at = value;
  value = at + kStep;
  const double above = f();
  value = at - kStep;
  const double below = f();
  value = at;
  return (above - below) / (2 * kStep);
}

}  // namespace spikenm::test
