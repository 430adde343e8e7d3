// Draws masks: blocks with their kept positions, over epochs; kept share and entropy below.
#pragma once

#include "spikenm/report/mask_history.h"

namespace spikenm::report {

// Darker: larger |w|. Orange: not kept at the moment before. Of many moments six are drawn, of many
// blocks the first.
std::string masks_svg(const std::string& title, const std::vector<MaskMoment>& moments);

}  // namespace spikenm::report
