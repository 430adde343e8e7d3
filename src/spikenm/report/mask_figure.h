// Draws masks: blocks with their kept positions, over epochs; kept share and entropy below.
#pragma once

#include "spikenm/report/mask_history.h"

namespace spikenm::report {

// Darker: larger |w|. Orange: not kept at the moment before. Of many moments six are drawn, of many
// blocks the first.
std::string masks_svg(const std::string& title, const std::vector<MaskMoment>& moments);

// The picture of one mask, as cells: RGB of [rows,columns], a cell a weight.
struct MaskCells {
  int64_t rows = 0, columns = 0, blocks = 0;  // blocks that are shown
  int64_t m = 1;
  std::vector<uint8_t> rgb;
};
MaskCells mask_cells(const LayerMask& mask, const LayerMask* before);

}  // namespace spikenm::report
