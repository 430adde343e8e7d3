// Every key that a run may read; listing them needs no torch.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::train {
std::vector<KeyGroup> run_keys();

}  // namespace spikenm::train
