#include "spikenm/report/axis.h"

#include "spikenm/core/error.h"

#include <algorithm>
#include <cmath>

namespace spikenm::report {
namespace {

// The smallest of 1, 2 or 5 times a power of ten that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

Axis Axis::linear(double low, double high, bool whole) {
  SPIKENM_ASSERT(std::isfinite(low) && std::isfinite(high) && low <= high);
  constexpr double kTicks = 8, kAir = 0.06;
  // A single value also needs an axis of some length.
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high)) || high == low) {
    const double half =
        low == 0 ? 0.5 : std::min(std::abs(low) * 0.5, std::max(0.5, std::abs(low) * 0.01));
    low -= half;
    high += half;
  }

  Axis axis;
  const double air = kAir * (high - low);
  axis.low_ = low - air;
  axis.high_ = high + air;

  const double step = std::max(round_step((high - low) / kTicks), whole ? 1.0 : 0.0);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  const double last = std::floor(axis.high_ / step + 1e-9);
  // k is a whole number that may be larger than an int.
  // NOLINTNEXTLINE(bugprone-float-loop-counter)
  for (double k = std::ceil(axis.low_ / step - 1e-9); k <= last; ++k) {
    const double value = k == 0 ? 0 : k * step;  // avoids "-0"
    const std::string label = step >= 1e6 || step < 1e-6 ? fmt::format("{:.6g}", value)
                                                         : fmt::format("{:.{}f}", value, decimals);
    axis.ticks_.push_back({axis.position(value), label});
  }
  return axis;
}

Axis Axis::logarithmic(double low, double high, bool zero) {
  SPIKENM_ASSERT(0 < low && low <= high && std::isfinite(high));
  constexpr double kAir = 0.05;
  Axis axis;
  axis.logarithmic_ = true;
  axis.low_ = std::log10(low);
  axis.high_ = std::log10(high);

  const double span = std::max(axis.high_ - axis.low_, 0.5);
  const double zero_at = axis.low_ - std::max(0.25, 0.15 * span);
  if (zero) axis.low_ = zero_at;
  axis.low_ -= kAir * span;
  axis.high_ += kAir * span;
  if (zero) {
    axis.ticks_.push_back({axis.position(std::pow(10, zero_at)), "0"});
    axis.break_at_ = axis.position(std::pow(10, (zero_at + std::log10(low)) / 2));
  }

  const double first = zero ? std::log10(low) - 1e-9 : axis.low_;
  const bool few = axis.high_ - first < 1.5;  // then 2 and 5 are labelled too

  // NOLINTNEXTLINE(bugprone-float-loop-counter): whole numbers
  for (double decade = std::floor(first); decade <= axis.high_; ++decade) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10, decade), at = std::log10(value);
      if (at < first || at > axis.high_) continue;
      const bool named = digit == 1 || (few && (digit == 2 || digit == 5));
      axis.ticks_.push_back({axis.position(value), named ? fmt::format("{:g}", value) : ""});
    }
  }
  return axis;
}

Axis Axis::names(const std::vector<std::string>& names) {
  Axis axis;
  axis.low_ = -0.5;
  axis.high_ = static_cast<double>(names.size()) - 0.5;
  for (size_t i = 0; i < names.size(); ++i)
    axis.ticks_.push_back({axis.position(static_cast<double>(i)), names[i]});
  return axis;
}

double Axis::position(double value) const {
  if (logarithmic_ && value <= 0) return ticks_.front().at;  // where zero is drawn
  const double at = logarithmic_ ? std::log10(value) : value;
  return (at - low_) / (high_ - low_);
}

}  // namespace spikenm::report
