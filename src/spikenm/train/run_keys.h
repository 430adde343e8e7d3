// Every key that a run may read; no torch is needed to list them.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
std::vector<KeyGroup> run_keys();

}  // namespace spikenm::train
