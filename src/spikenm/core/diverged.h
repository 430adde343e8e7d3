// Training that left the finite numbers: nobody's mistake that could be seen before; exit 3.
#pragma once

#include "spikenm/core/error.h"

namespace spikenm {

class Diverged : public Error {
 public:
  using Error::Error;
};

}  // namespace spikenm
