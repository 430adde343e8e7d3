// What the plot of a sweep has along x.
#pragma once

#include "spikenm/sweep/spec.h"

namespace spikenm::sweep {

// A number of the results, such as "weight_pct": a curve for each listed member, a point for each of
// its groups. Keys of the grid whose values are words, such as method.name, make curves too.
bool x_is_result(const Spec& spec);

// An Error when x is neither a key of the grid, nor "member", nor what a number of the results could
// be called, or when a logarithmic axis cannot show the grid's values.
void check_x(const Spec& spec);

}  // namespace spikenm::sweep
