// The mask of a layer as a picture: a cell a weight, blocks side by side.
#pragma once

#include "spikenm/core/png.h"
#include "spikenm/nm/grouping.h"

#include <cstdint>
#include <span>
#include <vector>

namespace spikenm::nm {

// RGB of [rows,columns]. Blue: kept, darker for a larger |w|. Orange: kept, and not before. Grey:
// dropped. White: no weight.
struct MaskCells {
  int64_t rows = 0, columns = 0;
  int64_t m = 0;       // columns of a block; 0: the layout has no blocks
  int64_t blocks = 0;  // that are shown, of the first weight block of each mask block
  std::vector<uint8_t> rgb;
};

// mask_cells() reads none of the values from this index on.
int64_t shown_values(const BlockLayout& layout);

// The first blocks of a layout, as many as fit in 32x16 cells. Without blocks, a row has the first
// weights of an output channel. `keep`, `weight`, `before`: [numel], or at least shown_values() of
// them; without `before` nothing is new.
MaskCells mask_cells(const BlockLayout& layout, std::span<const uint8_t> keep,
                     std::span<const float> weight, std::span<const uint8_t> before = {});

// The cells as squares of some pixels, with lines between them and darker ones between blocks.
Picture mask_picture(const MaskCells& cells);

}  // namespace spikenm::nm
