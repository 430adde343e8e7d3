// What of a metrics line depends on the machine and its mood.
#pragma once

#include "spikenm/core/json.h"

namespace spikenm::test {

inline void erase_machine_figures(Json& line) {
  for (const char* key : {"seconds", "samples_per_second", "memory_gb"}) line.erase(key);
}

}  // namespace spikenm::test
