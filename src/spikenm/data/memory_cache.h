// Keeps every sample that has been read, packed, so that generated data is made only once.
#pragma once

#include "spikenm/data/dataset.h"

namespace spikenm::data {

std::shared_ptr<const Dataset> with_memory_cache(std::shared_ptr<const Dataset> dataset);

}  // namespace spikenm::data
