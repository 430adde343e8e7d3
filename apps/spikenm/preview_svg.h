// A picture of tiles with words above them, as SVG.
#pragma once

#include "spikenm/data/picture.h"

#include <string>
#include <vector>

namespace spikenm::cli {

constexpr int64_t kCaptionRoom = 15;  // pixels above each tile

// captions[i] stands above tile i, made smaller where it is too long.
std::string preview_svg(const data::Picture& picture, const data::TileGrid& grid,
                        const std::vector<std::string>& captions);

}  // namespace spikenm::cli
