// Weight % as text for the user.
#pragma once

#include "spikenm/core/json.h"

#include <fmt/format.h>

#include <string>

namespace spikenm::cli {

// "weight 43.75 %", and the share over all layers, dense ones included, if it differs.
inline std::string weight_text(double masked, double all) {
  std::string text = fmt::format("weight {:.2f} %", masked);
  const std::string of_all = fmt::format("{:.2f}", all);
  if (of_all != fmt::format("{:.2f}", masked)) text += fmt::format(" ({} % of all layers)", of_all);
  return text;
}

inline std::string weight_text(const Json& measured) {
  return weight_text(measured["weight_pct"].get<double>(),
                     measured["weight_pct_all"].get<double>());
}

}  // namespace spikenm::cli
