// Training reached values that are not finite. This could not be seen before the run; exit 3.
#pragma once

#include "spikenm/core/error.h"

namespace spikenm {

class Diverged : public Error {
 public:
  using Error::Error;
};

}  // namespace spikenm
