// The weights of a layer as its kernel reads them (kernels/spike_layer.h).
#pragma once

#include "spikenm/kernels/pick_tables.h"
#include "spikenm/runtime/aligned.h"
#include "spikenm/runtime/program.h"
#include "spikenm/runtime/row_budget.h"

#include <functional>
#include <vector>

namespace spikenm::runtime {

struct PreparedRows {
  kernels::RowForm form = kernels::RowForm::kEvents;
  bool int8 = false;
  AlignedBytes data;
  int64_t rows = 0, part_rows = 0;  // of a block
  int64_t narrow_rows = kernels::LayerRows{}.narrow_rows;
  std::vector<uint64_t> keep;  // [blocks, taps, words]; empty: every row is there
  int32_t word_rows = 0;       // with `keep`: rows of each of its words; see also kPacked
  kernels::PickTables picks;   // with `keep`, where the level gathers bits; or empty

  [[nodiscard]] kernels::LayerRows view() const;
};

// Which rows some of the 64 outputs of a block keep.
struct KeptRows {
  std::vector<uint64_t> keep;  // [blocks, taps, words]; empty: nearly all, not worth packing
  double share = 1;            // of all rows
};

// Where few outputs share a mask, 64 of them keep nearly every row, and nothing is counted.
KeptRows find_kept_rows(const SynapseTensor& tensor, const Layer& layer);

// Memory for rows, once the budget has it for this layer.
using RowMemory = std::function<AlignedBytes(int64_t bytes)>;

// What rows are read by.
struct RowUse {
  Isa isa = active_isa();
  int64_t most_count = 1;  // the largest value of an input
};

// With a `keep`, rows that no output of a block keeps are left out.
PreparedRows prepare_rows(const SynapseTensor& tensor, const Layer& layer,
                          std::vector<uint64_t> keep, const RowUse& use, const RowMemory& memory);

// int8 weights for the kernels that read every input (kernels::RowForm).
PreparedRows prepare_dense(const SynapseTensor& tensor, const Layer& layer,
                           const RowMemory& memory);
PreparedRows prepare_packed(const SynapseTensor& tensor, const Layer& layer,
                            const RowMemory& memory);

}  // namespace spikenm::runtime
