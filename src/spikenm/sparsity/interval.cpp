#include "spikenm/sparsity/interval.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <variant>

namespace spikenm::sparsity {
namespace {

// The number before the percent sign, if it is a share: more than 0, at most 100.
std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  const bool is_share = error == std::errc() && stop == end && percent > 0 && percent <= 100;
  return is_share ? std::optional(percent) : std::nullopt;
}

using StepsOrShare = std::variant<int64_t, std::string>;

Interval checked_interval(const StepsOrShare& given, const std::string& key) {
  Interval found{.key = key};
  if (const int64_t* steps = std::get_if<int64_t>(&given)) {
    SPIKENM_CHECK(*steps >= 1, "{}: found {}, wanted at least 1 step, or a share such as \"3%\"",
                  found.key, *steps);
    found.fixed = *steps;
    return found;
  }

  const std::string& text = std::get<std::string>(given);
  const std::optional<double> percent = parse_percent(text);
  SPIKENM_CHECK(percent.has_value(),
                "{}: found '{}', wanted a number of steps, or a share of the search such as "
                "\"3%\": more than 0 and at most 100",
                found.key, text);
  found.percent = *percent;
  return found;
}

}  // namespace

int64_t Interval::steps(int64_t search_steps) const {
  if (percent == 0) return fixed;
  return std::max<int64_t>(1, std::llround(percent / 100 * static_cast<double>(search_steps)));
}

std::string Interval::text() const {
  return percent > 0 ? fmt::format("{:g}%", percent) : fmt::format("{}", fixed);
}

Interval read_interval(const Config& config, const StepsKey& key) {
  return checked_interval(key.read(config), config.full_key(key.name));
}

Interval read_interval(const Config& config, const StepsKey& key, const Interval& usual) {
  const StepsOrShare other =
      usual.percent > 0 ? StepsOrShare(usual.text()) : StepsOrShare(usual.fixed);
  return checked_interval(key.read(config, other), config.full_key(key.name));
}

}  // namespace spikenm::sparsity
