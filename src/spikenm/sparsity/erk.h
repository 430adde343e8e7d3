// Densities of layers by their shapes [Evci20]: small layers stay denser than large ones.
#pragma once

#include "spikenm/nm/grouping.h"

#include <vector>

namespace spikenm::sparsity {

// Density ~ (cout + cin + kh + kw) / (cout cin kh kw), before scaling.
double erk_density(const nm::WeightShape& shape);

// How many weights each layer keeps, at least 1 and at most all, so that together they keep
// round(density * all weights), or the number of layers where that is more.
std::vector<int64_t> erk_counts(const std::vector<nm::WeightShape>& shapes, double density);

}  // namespace spikenm::sparsity
