// Which orders of phases are valid.
#pragma once

#include <string>
#include <vector>

namespace spikenm::train {

// Throws an Error that begins with `key` if `phases` repeats search, prune or finetune, has them in
// another order, or would train a method that masks something without ever freezing its masks.
// Phases with other names may be at any place.
void check_phase_order(const std::vector<std::string>& phases, bool has_masks,
                       const std::string& key);

}  // namespace spikenm::train
