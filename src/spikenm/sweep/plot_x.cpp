#include "spikenm/sweep/plot_x.h"

#include "spikenm/core/toml.h"

namespace spikenm::sweep {
namespace {

// A logarithmic axis can show zero and positive numbers.
void check_log_values(const Spec& spec) {
  for (const GridKey& key : spec.grid) {
    if (!spec.plot.log || key.key != spec.plot.x) continue;
    for (const std::string& text : key.values) {
      const std::optional<Json> value = parse_toml_value(text, key.key);
      SPIKENM_CHECK(value && value->is_number() && value->get<double>() >= 0,
                    "plot.log: found {}={}, wanted numbers of 0 or more", key.key, text);
    }
  }
}

}  // namespace

bool x_is_result(const Spec& spec) {
  const std::string& x = spec.plot.x;
  return !x.empty() && x != kByMember && !in_grid(spec, x);
}

void check_x(const Spec& spec) {
  // Which numbers there are is known when the first run has ended; none has a dot in its name.
  SPIKENM_CHECK(!x_is_result(spec) || spec.plot.x.find('.') == std::string::npos,
                "plot.x: found '{}', wanted a key of the grid, \"member\", or a number of the "
                "results such as weight_pct",
                spec.plot.x);
  check_log_values(spec);
}

}  // namespace spikenm::sweep
