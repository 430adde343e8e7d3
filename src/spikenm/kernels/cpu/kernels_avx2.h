#pragma once

#include "spikenm/kernels/cpu/table.h"

namespace spikenm::kernels {
extern const CpuKernels kKernelsAvx2;
}
