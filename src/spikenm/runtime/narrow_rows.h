// How many rows of int8 weights may be added before a sum needs more than 16 bits.
#pragma once

#include "spikenm/kernels/spike_layer.h"

namespace spikenm::runtime {

// For a layer of `blocks` blocks: so many of any rows of a block, each at most `most_count` times, have sums
// within 16 bits for all outputs. Only kernels::RowForm::kEvents, int8.
int64_t count_narrow_rows(const kernels::LayerRows& rows, int64_t blocks, int64_t most_count);

}  // namespace spikenm::runtime
