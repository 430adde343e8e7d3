// The positions of values along an axis, and its ticks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace spikenm::report {

struct Tick {
  double at;          // 0..1 along the axis
  std::string label;  // empty: a small tick
};

class Axis {
 public:
  // Ticks at round numbers (1, 2 or 5 times a power of ten), with some space beyond the values.
  // `whole`: values are whole numbers, and so are ticks.
  static Axis linear(double low, double high, bool whole = false);
  // Ticks at powers of ten. A logarithmic axis has no zero; with `zero`, it stands apart, before the
  // smallest value.
  static Axis logarithmic(double low, double high, bool zero);
  // Values 0, 1, 2… stand for names.
  static Axis names(const std::vector<std::string>& names);

  // From 0 to 1 along the axis.
  [[nodiscard]] double position(double value) const;
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }
  // Where the axis jumps from zero to its smallest value; empty for an axis without such a zero.
  [[nodiscard]] std::optional<double> break_at() const { return break_at_; }

 private:
  bool logarithmic_ = false;
  double low_ = 0, high_ = 1;  // the ends; logarithms to base ten when logarithmic_
  std::vector<Tick> ticks_;
  std::optional<double> break_at_;
};

}  // namespace spikenm::report
