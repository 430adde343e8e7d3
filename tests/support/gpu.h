// What every test on a GPU needs first.
#pragma once

#include "spikenm/ops/stream.h"

namespace spikenm::test {

// torch's CUDA is loaded before any test asks for a tensor on the GPU.
inline const bool kHasGpu = ops::cuda_is_available();

}  // namespace spikenm::test
