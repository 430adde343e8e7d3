// What the plot of a sweep has along x.
#pragma once

#include "spikenm/sweep/spec.h"

namespace spikenm::sweep {

// A number of the results, such as "weight_pct": a curve for each listed member, a point for each of
// its groups.
bool x_is_result(const Spec& spec);

// An Error when x is neither a key of the grid, nor "member", nor a number that results have, or when
// a logarithmic axis cannot show the grid's values.
void check_x(const Spec& spec);

}  // namespace spikenm::sweep
