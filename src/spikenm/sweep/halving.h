// Successive halving: many rows on few seeds, and the better half of them on more.
#pragma once

#include "spikenm/sweep/groups.h"

#include <string>
#include <vector>

namespace spikenm::sweep {

// How many seeds each round has, from the first on: 1, 2, 4, …, all.
std::vector<size_t> halving_rounds(size_t n_seeds);

// Which members of the spec go on: of the rows of each point of the grid the better half by the
// mean of `val_accuracy`, rounded up, since rows at different points are not comparable; of all
// rows where a grid alone is swept. A row of the name `spared`, or of the listed member of that name, always goes on; one without a run never
// does. An Error if a run has no validation accuracy.
std::vector<bool> better_half(const Spec& spec, const std::vector<MemberRun>& runs,
                              const std::vector<bool>& alive, const std::string& spared);

}  // namespace spikenm::sweep
