// Planes of [rows, columns] -> [columns, rows]: between channels-last and channels-first.
#pragma once

#include "spikenm/kernels/real.h"

#include <cstdint>

namespace spikenm::kernels {

// `planes` planes, one after the other; from and to must not overlap.
void transpose_cuda(int64_t planes, int64_t rows, int64_t columns, Real real, const void* from,
                    void* to, void* stream);

}  // namespace spikenm::kernels
