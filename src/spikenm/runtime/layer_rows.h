// The weights of a layer as its kernel reads them (kernels/spike_layer.h).
#pragma once

#include "spikenm/runtime/aligned.h"
#include "spikenm/runtime/program.h"

#include <vector>

namespace spikenm::runtime {

struct PreparedRows {
  bool int8 = false;
  AlignedBytes data;
  std::vector<int64_t> first_row;  // [blocks]
  std::vector<int32_t> rows_of;    // [blocks]
  std::vector<uint64_t> keep;      // [blocks, taps, words]; empty: every row is there
  int32_t word_rows = 0;           // with `keep`: rows of each of its words

  [[nodiscard]] kernels::LayerRows view() const;
};

// Rows that no output of a block keeps are left out with `packs`.
PreparedRows prepare_rows(const SynapseTensor& tensor, const Layer& layer, bool packs);

// The share of rows that some of the 64 outputs of a block keep: what packing would leave.
double kept_rows_share(const SynapseTensor& tensor, const Layer& layer);

}  // namespace spikenm::runtime
