// Which orders of phases can work.
#pragma once

#include <string>
#include <vector>

namespace spikenm::train {

// An Error that begins with `key` when `phases` repeats search, prune or finetune, has them in
// another order, or would train a method that masks something without ever freezing its masks.
// Phases of other names may stand anywhere.
void check_phase_order(const std::vector<std::string>& phases, bool has_masks,
                       const std::string& key);

}  // namespace spikenm::train
