// Keeps every sample it has read, packed: data that is made on the fly is made once.
#pragma once

#include "spikenm/data/dataset.h"

namespace spikenm::data {

std::shared_ptr<const Dataset> with_memory_cache(std::shared_ptr<const Dataset> dataset);

}  // namespace spikenm::data
