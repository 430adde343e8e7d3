// Every key of [method]; listing them needs no torch.
#pragma once

#include "spikenm/core/key.h"

namespace spikenm::sparsity {
inline const TextKey kMethodName{"name", "spikenm", "the pruning method"};

std::vector<KeyGroup> method_keys();

}  // namespace spikenm::sparsity
