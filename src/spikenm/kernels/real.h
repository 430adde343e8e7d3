// The types of activations and products on a GPU.
#pragma once

#include <cstdint>

namespace spikenm::kernels {

enum class Real : int32_t { kFloat, kBfloat16, kHalf };

}  // namespace spikenm::kernels
